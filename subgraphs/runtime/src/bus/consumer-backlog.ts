import type pg from "pg";
import { mostCounted, type WaitingWork } from "../backlogs/waiting-work.js";
import { auditRecordType } from "../messages/audit-record.js";
import type { Consumer } from "./consumer-log.js";

const unread = {
  name: "bus_unread",
  text: `select 'consumer' as kind, consumer.name, waiting.count::int as waiting, waiting.age as "oldestSeconds"
    from unnest($1::text[], $2::text[], $3::json[]) as asked(name, kind, types)
    join bus.consumers consumer using (name)
    cross join lateral (
      select count(*) as count,
        greatest(0, coalesce(extract(epoch from now() - min(published_at)), 0))::float8 as age
      from (
        select published_at from bus.messages
        where position > consumer.position and kind = asked.kind
          and case when asked.types is null then type <> '${auditRecordType}'
            else type = any(array(select json_array_elements_text(asked.types))) end
        order by position limit ${mostCounted}) message) waiting`,
};

/** The messages behind each group's position. Held messages and dead letters are not among them. */
export async function unreadMessages(pool: pg.Pool, consumers: readonly Consumer[]): Promise<WaitingWork[]> {
  const values = [
    consumers.map(({ group }) => group),
    consumers.map(({ kind = "event" }) => kind),
    consumers.map(({ types }) => (types ? JSON.stringify(types) : null)),
  ];
  return (await pool.query<WaitingWork>({ ...unread, values })).rows;
}
