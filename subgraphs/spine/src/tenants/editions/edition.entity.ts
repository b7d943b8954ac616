import { platformOwnedTable } from "@factory/runtime/db/tenant-table";
import type { EditionFeatures } from "@factory/schema/edition-features";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** A plan that tenants can subscribe to. It belongs to the platform; every tenant may read it. */
@Entity(platformOwnedTable("editions", "everybody"))
export class Edition {
  @PrimaryKey({ type: "text" })
  code: string;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text", nullable: true })
  description: string | null;

  /** 0: a new tenant gets no trial. */
  @Property({ type: "integer" })
  trialDays: number;

  @Property({ type: "json" })
  features: EditionFeatures;

  /** False for a retired edition: tenants that have it keep it, and others cannot choose it. */
  @Property({ type: "boolean" })
  active: boolean;

  /** False: only a platform administrator gives the edition to a tenant, and gives it back after it ended. */
  @Property({ type: "boolean", default: true })
  selfService: boolean;

  /** Ascends with each change. */
  @Property({ type: "integer" })
  version: number;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
