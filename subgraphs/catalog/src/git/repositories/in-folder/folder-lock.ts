import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { StoredBytes } from "../port/repository-limits.js";
import type { RepositoryPlace } from "../port/repository-store.js";
import { insertRepository } from "../rows/insert-repository.js";
import { releaseFolderLock, takeFolderLock } from "./folder-statement.js";

/** Longer than a dead process holds a lock. */
const patienceMs = 90_000;
const longestPauseMs = 200;

/** A lock that is held. */
interface FolderLock {
  readonly stored: StoredBytes;
  release(bytes: number): Promise<void>;
}

/**
 * Takes a repository's lock in all processes. It is a row with a lease, so that no transaction is open while git works.
 * Throws TARGET_UNAVAILABLE.
 */
export async function takeRepositoryLock(
  database: Database,
  { tenantId, owner, name }: RepositoryPlace,
  branch: string,
): Promise<FolderLock> {
  const tenant = tenantWithId(tenantId);
  const holder = randomUUID();
  const execute = <R>(statement: typeof takeFolderLock, ...values: unknown[]) =>
    database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      transaction.execute<R>(statement, [tenant.uuid, ...values]),
    );
  await execute(insertRepository, decodeId("rep", newId("rep")), owner, name, branch);
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = 10; Date.now() < deadline; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const [row] = await execute<{ bytes: string; tenant_bytes: string }>(takeFolderLock, owner, name, holder);
    if (row)
      return {
        stored: { bytes: Number(row.bytes), tenantBytes: Number(row.tenant_bytes) },
        release: async (bytes) => void (await execute(releaseFolderLock, owner, name, holder, bytes)),
      };
    await pause(pauseMs);
  }
  throw new DomainError("TARGET_UNAVAILABLE", { detail: "The repository is in use. Try again later." });
}
