import { isoFromJsonTime } from "@factory/runtime/db/json-time";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import type { TemplateType } from "./template.type.js";
import type { TemplateDeprecation, TemplateVersion } from "./template-version.entity.js";
import type { TemplateVersionState } from "./template-version.states.js";
import type { TemplateVersionType } from "./template-version.type.js";

/** A row of `template_versions`, alone or inside JSON. */
export interface TemplateVersionRow {
  template_version_id: string;
  template_id: string;
  semantic_version: string;
  source_ref: string;
  resolved_ref: string | null;
  content_digest: string | null;
  template_identity: string | null;
  template_language: string | null;
  template_type: string | null;
  engine_kind: string;
  target_framework: string;
  parameter_schema: Record<string, unknown>;
  parameter_schema_origin: TemplateVersion["parameterSchemaOrigin"];
  revision: number;
  changelog: string | null;
  status: TemplateVersionState;
  published_at: Date | string | null;
  deprecation: TemplateDeprecation | null;
  created_at: Date | string;
}

/** The names of the parameters of a template, which executions need. */
export interface KnownParameters {
  /** Null until the content was read. */
  readonly parameterNames: readonly string[] | null;
  /** The names of parameters by their aliases. */
  readonly parameterAliases: Readonly<Record<string, string>>;
}

/** The parameters that a read of the content has found. */
export type ReadContent = KnownParameters & Pick<TemplateVersionType, "parameterSchema">;

/** A version with what executions need to know about it and its template. */
export type KnownTemplateVersion = TemplateVersionType &
  KnownParameters & { readonly templateStatus: TemplateType["status"] };

/** The columns of `TemplateVersionRow`. The facts are missing, since only evaluations and executions read them. */
export const templateVersionColumns = `template_version_id, template_id, semantic_version, source_ref, resolved_ref,
  content_digest, template_identity, template_language, template_type, engine_kind, target_framework, parameter_schema,
  parameter_schema_origin, revision, changelog, status, published_at, deprecation, created_at`;

export function templateVersionView(row: TemplateVersionRow): TemplateVersionType {
  return {
    templateVersionId: encodeId("tpv", row.template_version_id),
    templateId: encodeId("tpl", row.template_id),
    ...contentView(row),
    status: row.status,
    revision: row.revision,
    changelog: row.changelog,
    publishedAt: row.published_at === null ? null : isoOf(row.published_at),
    deprecation: row.deprecation,
    createdAt: isoOf(row.created_at),
  };
}

/** A row of `replaced_drafts`. */
export type ReplacedDraftRow = Pick<
  TemplateVersionRow,
  | "semantic_version"
  | "source_ref"
  | "resolved_ref"
  | "content_digest"
  | "template_identity"
  | "template_language"
  | "template_type"
  | "engine_kind"
  | "target_framework"
  | "parameter_schema"
  | "parameter_schema_origin"
>;

/** The members of a version that a replacement has changed. Its facts are read again from its content. */
export function replacedView(row: ReplacedDraftRow) {
  return { ...contentView(row), parameterNames: null, parameterAliases: {} };
}

function contentView(row: ReplacedDraftRow) {
  return {
    semanticVersion: row.semantic_version,
    targetFramework: row.target_framework,
    sourceRef: row.source_ref,
    resolvedRef: row.resolved_ref,
    contentDigest: row.content_digest,
    templateIdentity: row.template_identity,
    templateLanguage: row.template_language,
    templateType: row.template_type,
    engineKind: row.engine_kind,
    parameterSchema: row.parameter_schema,
    parameterSchemaOrigin: row.parameter_schema_origin,
  };
}

/** The GraphQL view of an entity that a mutation has created or changed. */
export function versionEntityView(version: TemplateVersion): TemplateVersionType {
  const { tenantId: _, precedence: __, facts: ___, details: ____, publishedAt, createdAt, ...fields } = version;
  return { ...fields, publishedAt: publishedAt?.toISOString() ?? null, createdAt: createdAt.toISOString() };
}

/** Selects the template of its source that a version is about. */
export function templateChoice(
  version: Pick<TemplateVersionType, "templateIdentity" | "templateLanguage" | "templateType">,
): TemplateChoice {
  return { identity: version.templateIdentity, language: version.templateLanguage, type: version.templateType };
}

const isoOf = (time: Date | string) => (typeof time === "string" ? isoFromJsonTime(time) : time.toISOString());
