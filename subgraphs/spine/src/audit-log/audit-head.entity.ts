import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** Where a tenant's chain begins and ends. Its row is locked while records are chained, sealed or deleted. */
@Entity(workerTable("audit_heads"))
@Index({ name: "audit_heads_unsealed", properties: ["unsealedSince"], where: "unsealed_since is not null" })
@Index({ name: "audit_heads_retention", properties: ["retentionDueAt"] })
export class ChainHead {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The position of the newest record; 0 before the first one. */
  @Property({ type: "bigint" })
  position: string;

  @Property({ type: "Buffer", columnType: "bytea" })
  hash: Buffer;

  /** The sealed position after which the chain starts, since retention deleted the records up to it; 0 at first. */
  @Property({ type: "bigint" })
  startPosition: string;

  @Property({ type: "Buffer", columnType: "bytea" })
  startHash: Buffer;

  /** When the first record was chained that no seal covers yet. */
  @Property({ type: "timestamptz", nullable: true })
  unsealedSince: Date | null;

  /** When the tenant's retention is checked next. */
  @Property({ type: "timestamptz" })
  retentionDueAt: Date;
}
