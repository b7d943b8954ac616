// tables: connections
import type { RetentionRule } from "@factory/runtime/db/retention";
import { runRetentionDays } from "../../runs/run.retention.js";

/**
 * Deleted connections are kept for as long as their runs. Tokens that this program's former version has stored after
 * the deletion go with them.
 */
export const deletedConnections: RetentionRule = {
  table: "connections",
  expired: `deleted_at < now() - interval '${runRetentionDays} days' and status = 'Deleted'`,
  order: "deleted_at",
  remember: [
    `delete from connection_tokens token using gone
     where token.tenant_id = gone.tenant_id and token.connection_id = gone.connection_id`,
  ],
};
