import { EntitySchema } from "@mikro-orm/core";
import { foreignJson } from "../db/foreign-json-column.js";
import { expiringTenantTable } from "../db/tenant-table.js";

export interface IdempotencyRow {
  tenantId: string;
  principal: string;
  field: string;
  key: string;
  fingerprint: string;
  result: unknown;
  createdAt: Date;
}

/** Stored results of mutations, written in the transaction of their effect. */
export const idempotencyTable = () =>
  new EntitySchema<IdempotencyRow>({
    name: "IdempotencyRecord",
    // Written as PostgreSQL prints it; otherwise every comparison finds a difference.
    ...expiringTenantTable("idempotency_records", "created_at <= now() - '24:00:00'::interval"),
    properties: {
      tenantId: { type: "uuid", primary: true },
      principal: { type: "text", primary: true },
      field: { type: "text", primary: true },
      key: { type: "text", primary: true },
      fingerprint: { type: "text" },
      result: { ...foreignJson(), nullable: true },
      createdAt: { type: "Date", columnType: "timestamptz", defaultRaw: "now()" },
    },
    indexes: [{ name: "idempotency_records_created_at", properties: ["createdAt"] }],
  });
