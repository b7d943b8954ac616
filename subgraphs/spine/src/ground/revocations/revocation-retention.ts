import type { RetentionRule } from "@factory/runtime/db/retention";

/** A revocation is deleted once no token that it covers can be alive. */
export const revocationRetention: RetentionRule = {
  table: "revocations",
  expired: "expires_at < now()",
  order: "expires_at",
};
