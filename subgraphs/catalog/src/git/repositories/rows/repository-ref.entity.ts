import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A branch or a tag in a repository whose packs are rows. */
@Entity(tenantTable("repository_refs"))
export class RepositoryRef {
  [PrimaryKeyProp]?: ["tenantId", "repositoryId", "name"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("rep") })
  repositoryId: string;

  /** The full name, `refs/heads/…`. */
  @PrimaryKey({ type: "text" })
  name: string;

  @Property({ type: "text" })
  objectId: string;
}
