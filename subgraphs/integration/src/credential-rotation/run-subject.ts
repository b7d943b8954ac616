import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RunRecord } from "../runs/run-record.js";

/** The credential and the version that a run in this slice names; undefined for a run that names none. */
export function namedVersion({
  credentialId,
  payload,
}: RunRecord): { credentialId: string; version: number } | undefined {
  const { version } = payload;
  return credentialId !== null && typeof version === "number" ? { credentialId, version } : undefined;
}

/** As `namedVersion`. Throws CREDENTIAL_NOT_FOUND for a run that names none. */
export function subjectOf(run: RunRecord): { credentialId: string; version: number } {
  const subject = namedVersion(run);
  if (!subject) throw new DomainError("CREDENTIAL_NOT_FOUND", { detail: "The run names no version of a credential." });
  return subject;
}
