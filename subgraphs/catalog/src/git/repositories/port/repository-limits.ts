import { DomainError } from "@factory/runtime/errors/domain-error";

/** The bytes in stored packs. */
export interface RepositoryLimits {
  readonly repositoryBytes: number;
  /** A tenant's repositories together. */
  readonly tenantBytes: number;
}

/** How many bytes a repository and its tenant store. */
export interface StoredBytes {
  readonly bytes: number;
  readonly tenantBytes: number;
}

/** How many bytes the next push may have. */
export function remainingBytes(limits: RepositoryLimits, storedBytes: StoredBytes): number {
  return Math.max(
    0,
    Math.min(limits.repositoryBytes - storedBytes.bytes, limits.tenantBytes - storedBytes.tenantBytes),
  );
}

/** Throws TARGET_FULL when a push of `pushedBytes` is over a limit. */
export function requireRoom(limits: RepositoryLimits, storedBytes: StoredBytes, pushedBytes: number): void {
  if (pushedBytes > limits.repositoryBytes - storedBytes.bytes)
    throw full(`The repository may have ${mebibytes(limits.repositoryBytes)}, and this push would make it larger.`);
  if (pushedBytes > limits.tenantBytes - storedBytes.tenantBytes)
    throw full(`The repositories of the tenant may have ${mebibytes(limits.tenantBytes)} together.`);
}

const full = (problem: string) =>
  new DomainError("TARGET_FULL", {
    detail: `${problem} Push to another repository, or ask the operator for more room.`,
  });

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
