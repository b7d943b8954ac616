import type { RunRecord } from "../runs/run-record.js";

/** The credential and the version of a run of this slice. */
export function subjectOf({ runId, credentialId, payload }: RunRecord): { credentialId: string; version: number } {
  const { version } = payload;
  if (credentialId === null || typeof version !== "number")
    throw new Error(`The run ${runId} names no version of a credential`);
  return { credentialId, version };
}
