import { workerOnlyTable } from "@factory/runtime/db/tenant-table";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** When the copies are refreshed next, and from which change on. It has one row. */
@Entity(workerOnlyTable("projection_refreshes"))
export class ProjectionRefresh {
  /** Always `tenants`. */
  @PrimaryKey({ type: "text" })
  name: string;

  /** Milliseconds since 1970 by the clock of the spine's database. Earlier changes are in the copies. */
  @Property({ type: "bigint" })
  changedSinceMs: string;

  /** The process that refreshes moves this time, so that no other one begins. */
  @Property({ type: "timestamptz" })
  nextAt: Date;
}
