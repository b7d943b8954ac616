import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A tenant's report. Everything but its id comes from the release (`known-reports.ts`). */
@Entity(tenantTable("report_definitions"))
@Unique({ name: "report_definitions_code", properties: ["tenantId", "code"] })
@Index({ name: "report_definitions_page", properties: ["tenantId", "createdAt", "definitionId"] })
export class ReportDefinition {
  [PrimaryKeyProp]?: ["tenantId", "definitionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("rpd") })
  definitionId: string;

  @Property({ type: "text" })
  code: string;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;
}
