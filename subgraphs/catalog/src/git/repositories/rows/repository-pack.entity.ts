import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

export const expiredPack = "expires_at < now()";

/** A pack with git objects. Its bytes are chunks. */
@Entity(expiringTenantTable("repository_packs", expiredPack))
@Index({ name: "repository_packs_repository", properties: ["tenantId", "repositoryId"] })
@Index({
  name: "repository_packs_expiry",
  expression: "create index repository_packs_expiry on repository_packs (expires_at) where expires_at is not null",
})
export class RepositoryPack {
  [PrimaryKeyProp]?: ["tenantId", "packId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "uuid" })
  packId: string;

  @Property({ type: wireId("rep") })
  repositoryId: string;

  /** The checksum at the end of the pack. */
  @Property({ type: "text" })
  checksum: string;

  @Property({ type: "bigint" })
  bytes: string;

  /**
   * Null while the pack belongs to the repository. A pack whose push is not acknowledged, or that was merged into
   * another one, is deleted at this time.
   */
  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;
}
