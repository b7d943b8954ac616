import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A tenant with libraries that the search index does not have. Migrations add rows; the backlog runner removes them. */
@Entity(workerTable("search_backlog"))
export class SearchBacklog {
  [PrimaryKeyProp]?: ["tenantId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;
}
