import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TemplateStatus } from "./template.type.js";

/** A tenant's template. Its content is in its versions. */
@Entity(tenantTable("templates"))
@Unique({ name: "templates_name", properties: ["tenantId", "nameKey"] })
@Index({ name: "templates_search_stale", properties: ["tenantId"], where: "search_stale" })
@Index({ name: "templates_by_creation", properties: ["tenantId", "createdAt", "templateId"] })
export class Template {
  [PrimaryKeyProp]?: ["tenantId", "templateId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("tpl") })
  templateId: string;

  @Property({ type: "text" })
  name: string;

  /** The name in lower case, since names are unique ignoring case. */
  @Property({ type: "text" })
  nameKey: string;

  @Property({ type: "text", nullable: true })
  title: string | null;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "text", nullable: true })
  category: string | null;

  @Property({ type: "text", nullable: true })
  owner: string | null;

  @Property({ type: "text[]" })
  tags: string[];

  @Property({ type: "text" })
  status: keyof typeof TemplateStatus;

  /** Whether the texts have changed since the search index read them. */
  @Property({ type: "boolean", default: true })
  searchStale: boolean;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;
}
