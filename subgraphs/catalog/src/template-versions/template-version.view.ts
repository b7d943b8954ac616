import { isoFromJsonTime } from "@factory/runtime/db/json-time";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { TemplateVersionState } from "./template-version.states.js";
import type { TemplateVersionType } from "./template-version.type.js";

/** A row of `template_versions` as PostgreSQL gives it, alone or inside JSON. */
export interface TemplateVersionRow {
  template_version_id: string;
  template_id: string;
  semantic_version: string;
  source_ref: string;
  resolved_ref: string | null;
  content_digest: string | null;
  engine_kind: string;
  target_framework: string;
  parameter_schema: Record<string, unknown>;
  changelog: string | null;
  status: TemplateVersionState;
  created_at: Date | string;
}

export function templateVersionView(row: TemplateVersionRow): TemplateVersionType {
  return {
    templateVersionId: encodeId("tpv", row.template_version_id),
    templateId: encodeId("tpl", row.template_id),
    semanticVersion: row.semantic_version,
    status: row.status,
    targetFramework: row.target_framework,
    sourceRef: row.source_ref,
    resolvedRef: row.resolved_ref,
    contentDigest: row.content_digest,
    engineKind: row.engine_kind,
    parameterSchema: row.parameter_schema,
    changelog: row.changelog,
    createdAt: typeof row.created_at === "string" ? isoFromJsonTime(row.created_at) : row.created_at.toISOString(),
  };
}
