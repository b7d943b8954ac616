import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A repository with more packs waits for the job that merges them. */
export const mergedPacks = 24;

export const waitsForMerge = "crowded_at is not null";

/** A git repository on the platform. Before its first push its version is 0, and it does not exist for readers. */
@Entity(sweptTenantTable("repositories", waitsForMerge))
@Unique({ name: "repositories_place", properties: ["tenantId", "owner", "name"] })
@Index({
  name: "repositories_swept",
  expression: `create index repositories_swept on repositories (repository_id) where ${waitsForMerge}`,
})
export class Repository {
  [PrimaryKeyProp]?: ["tenantId", "repositoryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("rep") })
  repositoryId: string;

  @Property({ type: "text" })
  owner: string;

  @Property({ type: "text" })
  name: string;

  /** The branch that HEAD names. */
  @Property({ type: "text" })
  head: string;

  /** Rises with each push, so that caches see whether they are up to date. */
  @Property({ type: "integer" })
  version: number;

  /** The packs' bytes, for the limits. */
  @Property({ type: "bigint" })
  bytes: string;

  @Property({ type: "integer" })
  packCount: number;

  /** Since when the repository waits for its packs to be merged; null: it does not wait. */
  @Property({ type: "timestamptz", nullable: true })
  crowdedAt: Date | null;

  /** The process that changes a repository in a folder; null: none. */
  @Property({ type: "text", nullable: true })
  lockedBy: string | null;

  @Property({ type: "timestamptz", nullable: true })
  lockedUntil: Date | null;
}
