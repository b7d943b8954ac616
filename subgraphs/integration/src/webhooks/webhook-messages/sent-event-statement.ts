// tables: webhook_messages, event_log

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: uuid of the message. The event of the message, while it exists. */
export const sentEvent = tenantStatement(
  "webhook_message_event",
  `select coalesce(message.envelope, event.envelope) as envelope, message.position
   from webhook_messages message left join event_log event using (tenant_id, event_id)
   where message.tenant_id = scope.tenant and message.message_id = $2`,
);
