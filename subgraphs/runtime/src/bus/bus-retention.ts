import type { RetentionRule } from "../db/retention.js";

/** Consumer groups that a process has run within the last 7 days. Other groups hold no messages back. */
const aliveGroups = "select name from bus.consumers where updated_at > now() - interval '7 days'";

export function busRetention(deadLetterDays: number): RetentionRule[] {
  const days = `${deadLetterDays} days`;
  return [
    {
      table: "bus.messages",
      expired: `published_at < now() - interval '7 days' and position <= (
        select coalesce(min(position), 9223372036854775807) from bus.consumers where name in (${aliveGroups}))`,
      order: "published_at",
    },
    { table: "bus.dead_letters", expired: `created_at < now() - interval '${days}'`, order: "created_at" },
    {
      table: "bus.held",
      expired: `held_at < now() - interval '${days}' and consumer not in (${aliveGroups})`,
    },
  ];
}
