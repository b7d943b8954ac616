import { platformOwnedTable } from "@factory/runtime/db/tenant-table";
import type { EditionFeatures } from "@factory/schema/edition-features";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** An edition as it was from one change to the next. The current version is also stored here. */
@Entity(platformOwnedTable("edition_versions", "platform"))
export class EditionVersion {
  [PrimaryKeyProp]?: ["code", "version"];

  @PrimaryKey({ type: "text" })
  code: string;

  @PrimaryKey({ type: "integer" })
  version: number;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "integer" })
  trialDays: number;

  @Property({ type: "json" })
  features: EditionFeatures;

  @Property({ type: "boolean" })
  active: boolean;

  @Property({ type: "boolean", default: true })
  selfService: boolean;

  @Property({ type: "timestamptz" })
  changedAt: Date;

  /** The token's subject; `bootstrap` for the platform's own edition. */
  @Property({ type: "text" })
  changedBy: string;

  /** The earlier version that was restored; null for another change. */
  @Property({ type: "integer", nullable: true })
  revertedFrom: number | null;
}
