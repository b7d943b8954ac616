// tables: webhook_messages

import { namedStatement } from "@factory/runtime/db/named-parameters";

export const insertExample = namedStatement(
  "webhook_example_insert",
  `insert into webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
      status, attempts, next_attempt_at, envelope)
    values ($tenant, $message, $subscription, $event, $type, 0, $origin, 'Pending', 0, now(), $envelope)`,
);
