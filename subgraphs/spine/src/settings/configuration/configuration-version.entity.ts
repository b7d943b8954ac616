import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ConfigurationChange } from "./configuration.type.js";

/** An entry's version, with the principal that made the change. It stays after the entry is deleted. */
@Entity(workerTable("configuration_versions"))
@Index({ name: "configuration_versions_by_change", properties: ["tenantId", "changedAt", "key", "version"] })
@Index({
  name: "configuration_versions_sealed",
  expression:
    "create index configuration_versions_sealed on configuration_versions (tenant_id, key, version) where sealed_value is not null",
})
export class ConfigurationVersion {
  [PrimaryKeyProp]?: ["tenantId", "key", "version"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  key: string;

  @PrimaryKey({ type: "integer" })
  version: number;

  @Property({ type: "text" })
  change: ConfigurationChange;

  /** As in the entry; both are null in the version that records a deletion. */
  @Property({ ...foreignJson(), nullable: true })
  value: unknown;

  @Property({ type: "text", nullable: true })
  sealedValue: string | null;

  @Property({ type: "boolean" })
  isSecret: boolean;

  @Property({ type: "text", nullable: true })
  description: string | null;

  /** The stored value's length, for the limit on the whole history. */
  @Property({ type: "integer" })
  bytes: number;

  @Property({ type: "timestamptz" })
  changedAt: Date;

  /** The subject in the token that made the change. */
  @Property({ type: "text" })
  changedBy: string;
}
