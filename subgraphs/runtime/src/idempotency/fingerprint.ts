import { createHash } from "node:crypto";
import { canonicalJson } from "../identifiers/canonical-json.js";

/** The SHA-256 of a JSON value whose members are sorted, so that their order does not matter. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
