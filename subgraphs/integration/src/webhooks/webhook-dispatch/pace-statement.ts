// tables: webhook_paces

/** How many of the wanted messages fit: the burst, less what earlier messages have used of it. */
const fitting = `greatest(0, least($3::int,
    floor($5::int - extract(epoch from greatest(pace.next_at, now()) - now()) * 1000 / $4::float8 + 0.001)::int))`;

/**
 * Takes turns of a subscription for messages, in all processes together (the generic cell rate algorithm). $3: how many
 * are wanted; $4: the time between two messages in milliseconds; $5: how many may be sent at once.
 */
export const takeTurns = {
  name: "webhook_pace_take",
  text: `
    insert into webhook_paces as pace (tenant_id, subscription_id, granted, next_at)
    values ($1, $2, least($3::int, $5::int), now() + least($3::int, $5::int) * $4::float8 * interval '1 millisecond')
    on conflict (tenant_id, subscription_id) do update set granted = ${fitting},
      next_at = greatest(pace.next_at, now()) + ${fitting} * $4::float8 * interval '1 millisecond'
    returning granted, extract(epoch from next_at - now())::float8 * 1000 as ahead_ms`,
};
