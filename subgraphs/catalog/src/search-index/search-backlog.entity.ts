import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A tenant with libraries that search does not know yet; the row goes when it knows them all. Migrations add rows. */
@Entity(workerTable("search_backlog"))
export class SearchBacklog {
  [PrimaryKeyProp]?: ["tenantId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;
}
