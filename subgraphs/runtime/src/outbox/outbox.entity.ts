import { EntitySchema } from "@mikro-orm/core";
import { workerTable } from "../db/tenant-table.js";

export interface OutboxRow {
  id: string;
  tenantId: string;
  type: string;
  envelope: unknown;
  txid: string;
  seq: string;
  publishedAt: Date | null;
}

/** Events written with the rows they tell of, and commands. `txid` and `seq` give the order in which the relay may publish.
 * A schema made per ORM instance, since several instances of one process hold this table. */
export const outboxTable = () =>
  new EntitySchema<OutboxRow>({
    name: "OutboxMessage",
    ...workerTable("outbox"),
    properties: {
      id: { type: "uuid", primary: true },
      tenantId: { type: "uuid" },
      type: { type: "text" },
      envelope: { type: "json" },
      txid: { type: "string", columnType: "xid8", defaultRaw: "pg_current_xact_id()" },
      seq: { type: "bigint", autoincrement: true },
      publishedAt: { type: "Date", columnType: "timestamptz", nullable: true },
    },
    indexes: [{ name: "outbox_unpublished", properties: ["txid", "seq"], where: "published_at is null" }],
  });
