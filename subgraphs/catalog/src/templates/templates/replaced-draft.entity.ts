import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { EngineKind } from "@factory/schema/vocabularies/templates";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TemplateVersion } from "./template-version.entity.js";

/**
 * An earlier revision of a Draft that executions name: they render it, also when they are retried or are the base of a
 * merge.
 */
@Entity(tenantTable("replaced_drafts"))
export class ReplacedDraft {
  [PrimaryKeyProp]?: ["tenantId", "templateVersionId", "revision"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("tpv") })
  templateVersionId: string;

  @PrimaryKey({ type: "integer" })
  revision: number;

  @Property({ type: "text" })
  semanticVersion: string;

  @Property({ type: "text" })
  sourceRef: string;

  @Property({ type: "text", nullable: true })
  resolvedRef: string | null;

  @Property({ type: "text", nullable: true })
  contentDigest: string | null;

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

  @Property({ type: "text" })
  parameterSchemaOrigin: TemplateVersion["parameterSchemaOrigin"];

  @Property({ type: "timestamptz" })
  replacedAt: Date;
}
