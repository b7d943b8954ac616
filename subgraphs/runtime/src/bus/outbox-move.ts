import { advisoryLocks } from "../db/advisory-locks.js";
import type { OutboxStatement } from "./bus.js";
import { busChannel, maxNotificationLength } from "./bus-channel.js";

/**
 * Publishes and marks outbox messages within the bus database, so that they do not take the way through a process. The
 * lock makes positions ascend in commit order, as for every publication.
 */
export const outboxMove: OutboxStatement = {
  name: "bus_outbox_move",
  text: `with waiting as materialized (
      select id, seq, type, envelope from outbox where published_at is null order by seq limit $1),
    turn as materialized (
      select pg_advisory_xact_lock(${advisoryLocks.busPublication}) from (select from waiting limit 1) any_waiting),
    inserted as (
      insert into bus.messages (event_id, type, envelope)
      select envelope->>'id', type, envelope from turn, (select * from waiting order by seq) message
      on conflict (event_id) do nothing),
    marked as (update outbox set published_at = now() from waiting where outbox.id = waiting.id),
    types as (select string_agg(distinct type, ' ') as names from waiting)
    select (select count(*)::int from waiting) as count,
      (select envelope->>'time' from waiting order by seq desc limit 1) as last,
      case when names is not null then
        pg_notify('${busChannel}', case when length(names) <= ${maxNotificationLength} then names else '' end) end
    from types`,
};

/** Whether two connection URLs lead to one database. */
export function isSameDatabase(firstUrl: string, other: string): boolean {
  const [first, second] = [firstUrl, other].map((url) => {
    const { host, port, pathname, searchParams } = new URL(url);
    return [searchParams.get("host") ?? host, port, pathname].join(" ");
  });
  return first === second;
}
