// tables: tenants

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** The name of the tenant. */
export const senderName = tenantStatement(
  "notification_sender_name",
  "select name from tenants where tenant_id = scope.tenant limit 1",
);
