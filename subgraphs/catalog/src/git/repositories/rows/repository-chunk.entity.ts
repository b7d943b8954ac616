import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A piece of a pack, so that no statement has more than one piece in memory. */
@Entity(tenantTable("repository_chunks"))
export class RepositoryChunk {
  [PrimaryKeyProp]?: ["tenantId", "packId", "position"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "uuid" })
  packId: string;

  /** From 0. */
  @PrimaryKey({ type: "integer" })
  position: number;

  @Property({ type: "blob" })
  content: Buffer;
}
