// tables: webhook_paces

import { namedStatement } from "@factory/runtime/db/named-parameters";

/** How many wanted messages fit: the burst, less what earlier messages have used. */
const fitting = `greatest(0, least($wanted::int,
    floor($burst::int - extract(epoch from greatest(pace.next_at, now()) - now()) * 1000 / $intervalMs::float8 + 0.001)::int))`;

/**
 * Takes a subscription's turns for messages, in all processes together (the generic cell rate algorithm). The burst is
 * how many may be sent at once.
 */
export const takeTurns = namedStatement(
  "webhook_pace_take",
  `
    insert into webhook_paces as pace (tenant_id, subscription_id, granted, next_at)
    values ($tenant, $subscription, least($wanted::int, $burst::int),
      now() + least($wanted::int, $burst::int) * $intervalMs::float8 * interval '1 millisecond')
    on conflict (tenant_id, subscription_id) do update set granted = ${fitting},
      next_at = greatest(pace.next_at, now()) + ${fitting} * $intervalMs::float8 * interval '1 millisecond'
    returning granted, extract(epoch from next_at - now())::float8 * 1000 as ahead_ms`,
);
