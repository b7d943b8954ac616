import type { RetentionRule } from "@factory/runtime/db/retention";

/** A row says nothing any more when all has come back. */
export const modelBudgetRetention: RetentionRule = {
  table: "model_budgets",
  expired: "token_at < now() - interval '1 day' and request_at < now() - interval '1 day'",
  order: "token_at",
};
