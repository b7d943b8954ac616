import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** Every framework moniker that a version of the tenant ever named: compatibility is decided once for each. */
@Entity(tenantTable("search_frameworks"))
export class SearchFramework {
  [PrimaryKeyProp]?: ["tenantId", "framework"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  framework: string;
}
