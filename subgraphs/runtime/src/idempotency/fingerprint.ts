import { createHash } from "node:crypto";
import { canonicalJson, canonicalJsonWork, isLargeJson } from "../identifiers/canonical-json.js";
import { longWork, type PausableWork } from "../threads/long-work.js";

/** The SHA-256 digest of a JSON value whose members are sorted, so that their order does not matter. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** The same digest. A large value is digested in several event-loop turns, as the tenant's work. */
export function fairFingerprint(tenantId: string, value: unknown): string | Promise<string> {
  return isLargeJson(value) ? longWork.run(tenantId, digestOf(value)) : fingerprint(value);
}

function* digestOf(value: unknown): PausableWork<string> {
  const text = yield* canonicalJsonWork(value);
  yield;
  return createHash("sha256").update(text).digest("hex");
}
