import type { RetentionRule } from "@factory/runtime/db/retention";
import { runRetentionDays } from "../../runs/run.retention.js";

/** Ended commands are kept as long as their runs. For so long the same command has no second effect. */
export const vendorCommandRetention: RetentionRule = {
  table: "vendor_commands",
  expired: `ended_at < now() - interval '${runRetentionDays} days'`,
  order: "ended_at",
};
