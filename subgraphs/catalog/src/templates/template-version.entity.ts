import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { TemplateTexts } from "@factory/template-engine/template-description";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TemplateFacts } from "./template-facts.js";
import type { TemplateVersionState } from "./template-version.states.js";

export interface TemplateDeprecation {
  reason: "Legacy" | "CriticalBugs" | "Other";
  message: string | null;
  replacementTemplateVersionId: string | null;
  /** ISO 8601 */
  deprecatedAt: string;
}

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

  /** Which template of the source is meant: its identity, the identity of its group or a short name. */
  @Property({ type: "text", nullable: true })
  templateIdentity: string | null;

  @Property({ type: "text", nullable: true })
  templateLanguage: string | null;

  @Property({ type: "text", nullable: true })
  templateType: string | null;

  @Property({ type: "text" })
  engineKind: string;

  @Property({ type: "text" })
  targetFramework: string;

  @Property({ type: "json" })
  parameterSchema: Record<string, unknown>;

  @Property({ type: "text", nullable: true })
  changelog: string | null;

  /** Null until the content was read. */
  @Property({ type: "json", nullable: true })
  facts: TemplateFacts | null;

  /** What the content says of itself to people; null until it was read. */
  @Property({ type: "json", nullable: true })
  details: TemplateTexts | null;

  @Property({ type: "text" })
  status: TemplateVersionState;

  @Property({ type: "timestamptz", nullable: true })
  publishedAt: Date | null;

  @Property({ type: "json", nullable: true })
  deprecation: TemplateDeprecation | null;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
