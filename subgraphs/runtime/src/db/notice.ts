import type { SubgraphName } from "@factory/schema/subgraph-names";

/**
 * A NOTIFY about something that has been committed. Inside the transaction it would make the commit wait for those of
 * all others that notify, which share one lock (PostgreSQL, `PreCommit_Notify`). It can be lost, so listeners also look
 * from time to time.
 */
export interface Notice {
  readonly channel: string;
  /** At most 8,000 bytes. */
  readonly payload: string;
}

export const noticeStatement = ({ channel, payload }: Notice) => ({
  name: "notice",
  text: "select pg_notify($1, $2)",
  values: [channel, payload],
});

export const outboxChannel = (schema: SubgraphName): string => `${schema}_outbox`;
