import { EntitySchema } from "@mikro-orm/core";
import { foreignJson } from "../db/foreign-json-column.js";
import { workerTable } from "../db/tenant-table.js";

export interface OutboxRow {
  id: string;
  tenantId: string;
  type: string;
  envelope: unknown;
  seq: string;
  publishedAt: Date | null;
}

/**
 * Messages that are written in the transaction that causes them. The relay publishes them in `seq` order. Each ORM
 * instance needs its own schema object, since one process has several instances.
 */
export const outboxTable = () =>
  new EntitySchema<OutboxRow>({
    name: "OutboxMessage",
    ...workerTable("outbox"),
    properties: {
      id: { type: "uuid", primary: true },
      tenantId: { type: "uuid" },
      type: { type: "text" },
      envelope: foreignJson(),
      seq: { type: "bigint", autoincrement: true },
      publishedAt: { type: "Date", columnType: "timestamptz", nullable: true },
    },
    indexes: [
      { name: "outbox_unpublished", properties: ["seq"], where: "published_at is null" },
      { name: "outbox_published", properties: ["publishedAt"], where: "published_at is not null" },
    ],
  });
