import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TemplateVersionState } from "./template-version.states.js";

/** Immutable from its creation: a fix is a new semantic version. Only `status` and the resolution move on. */
@Entity(tenantTable("template_versions"))
@Unique({ name: "template_versions_semantic_version", properties: ["tenantId", "templateId", "precedence"] })
@Index({ name: "template_versions_template", properties: ["tenantId", "templateId"] })
export class TemplateVersion {
  [PrimaryKeyProp]?: ["tenantId", "templateVersionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("tpv") })
  templateVersionId: string;

  @Property({ type: wireId("tpl") })
  templateId: string;

  @Property({ type: "text" })
  semanticVersion: string;

  /** The semantic version without build metadata: versions of equal precedence are one version. */
  @Property({ type: "text" })
  precedence: string;

  @Property({ type: "text" })
  sourceRef: string;

  /** `sourceRef` pinned to a commit; null until the source could be reached. */
  @Property({ type: "text", nullable: true })
  resolvedRef: string | null;

  @Property({ type: "text", nullable: true })
  contentDigest: string | null;

  @Property({ type: "text" })
  engineKind: string;

  @Property({ type: "text" })
  targetFramework: string;

  @Property({ type: "json" })
  parameterSchema: Record<string, unknown>;

  @Property({ type: "text", nullable: true })
  changelog: string | null;

  @Property({ type: "text" })
  status: TemplateVersionState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
