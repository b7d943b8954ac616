import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { EngineKind } from "@factory/schema/vocabularies/templates";
import type { TemplateTexts } from "@factory/template-engine/template-description";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TemplateFacts } from "./template-facts.js";
import type { TemplateVersionState } from "./template-version.states.js";
import type { ParameterSchemaOrigin } from "./template-version.type.js";

/** Why and when a version was deprecated. */
interface TemplateDeprecation {
  reason: "Legacy" | "CriticalBugs" | "Other";
  message: string | null;
  replacementTemplateVersionId: string | null;
  /** ISO 8601. */
  deprecatedAt: string;
}

/** A version never changes after its publication, except for its status. Until then, a Draft may be replaced. */
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

  /** The semantic version without build metadata. Versions with equal precedence are the same version. */
  @Property({ type: "text" })
  precedence: string;

  @Property({ type: "text" })
  sourceRef: string;

  /** `sourceRef` pinned to a commit. Null until the source was reached. */
  @Property({ type: "text", nullable: true })
  resolvedRef: string | null;

  @Property({ type: "text", nullable: true })
  contentDigest: string | null;

  /** Selects a template in the source by its identity, its group's identity or a short name. */
  @Property({ type: "text", nullable: true })
  templateIdentity: string | null;

  @Property({ type: "text", nullable: true })
  templateLanguage: string | null;

  @Property({ type: "text", nullable: true })
  templateType: string | null;

  @Property({ type: "text" })
  engineKind: EngineKind;

  @Property({ type: "text" })
  targetFramework: string;

  @Property(foreignJson())
  parameterSchema: Record<string, unknown>;

  @Property({ type: "text", default: "Given" })
  parameterSchemaOrigin: keyof typeof ParameterSchemaOrigin;

  /** Rises whenever the Draft is replaced. */
  @Property({ type: "integer", default: 1 })
  revision: number;

  @Property({ type: "text", nullable: true })
  changelog: string | null;

  /** Null until the content was read. */
  @Property({ type: "json", nullable: true })
  facts: TemplateFacts | null;

  /** The template's texts about itself. Null until the content was read. */
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
