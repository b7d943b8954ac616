import { workerOnlyTable } from "@factory/runtime/db/tenant-table";
import type { EditionFeatures } from "@factory/schema/edition-features";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** An edition's copy. The spine owns the edition. */
@Entity(workerOnlyTable("edition_projections"))
export class EditionProjection {
  @PrimaryKey({ type: "text" })
  code: string;

  /** The version in the spine. Only a higher one replaces the row. */
  @Property({ type: "integer" })
  version: number;

  @Property({ type: "json" })
  features: EditionFeatures;
}
