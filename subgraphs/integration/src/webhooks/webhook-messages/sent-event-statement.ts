// tables: webhook_messages, event_log

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: the message's uuid. Reads the message's event, while it exists. */
export const sentEvent = tenantStatement(
  "webhook_message_event",
  `select coalesce(message.envelope, event.envelope) as envelope, message.position
   from webhook_messages message left join event_log event using (tenant_id, event_id)
   where message.tenant_id = scope.tenant and message.message_id = $2`,
);
