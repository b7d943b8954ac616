import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A tenant's configuration entry. Workers read all rows, since they seal secret values anew. */
@Entity(workerTable("configuration_entries"))
@Index({ name: "configuration_entries_by_change", properties: ["tenantId", "updatedAt", "key"] })
@Index({
  name: "configuration_entries_sealed",
  expression:
    "create index configuration_entries_sealed on configuration_entries (tenant_id, key) where sealed_value is not null",
})
export class ConfigurationEntry {
  [PrimaryKeyProp]?: ["tenantId", "key"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  key: string;

  /** Null for a secret entry. The JSON value null is stored as JSON. */
  @Property({ ...foreignJson(), nullable: true })
  value: unknown;

  /** A secret's sealed JSON text (`ConfigurationSecrets`), which is bound to the tenant, the key and the version. */
  @Property({ type: "text", nullable: true })
  sealedValue: string | null;

  @Property({ type: "boolean" })
  isSecret: boolean;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "integer" })
  version: number;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz", length: 3 })
  updatedAt: Date;

  /** The subject in the token that changed it last. */
  @Property({ type: "text" })
  updatedBy: string;
}
