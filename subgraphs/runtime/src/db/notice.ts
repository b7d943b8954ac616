import type { SubgraphName } from "@factory/schema/subgraph-names";

/**
 * A NOTIFY that is sent after the commit. Inside the transaction it would serialize all commits that notify, since they
 * share one lock (PostgreSQL, `PreCommit_Notify`). It can be lost, so listeners also poll from time to time.
 */
export interface Notice {
  readonly channel: string;
  /** At most 8,000 bytes. */
  readonly payload: string;
}

/** The statement that sends a notice. */
export const noticeStatement = ({ channel, payload }: Notice) => ({
  name: "notice",
  text: "select pg_notify($1, $2)",
  values: [channel, payload],
});

/** The channel on which new messages in a schema's outbox are announced. */
export const outboxChannel = (schema: SubgraphName): string => `${schema}_outbox`;
