import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A framework moniker in the tenant's versions, so that a search decides compatibility once for each moniker. */
@Entity(tenantTable("search_frameworks"))
export class SearchFramework {
  [PrimaryKeyProp]?: ["tenantId", "framework"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  framework: string;
}
