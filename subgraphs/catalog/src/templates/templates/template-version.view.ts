import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { ReplacedDraft } from "./replaced-draft.entity.js";
import type { TemplateType } from "./template.type.js";
import { TemplateVersion } from "./template-version.entity.js";
import type { TemplateVersionType } from "./template-version.type.js";

/** A version's members that come from its content. A Draft's earlier revision has them too. */
const contentMembers = [
  ...["semanticVersion", "sourceRef", "resolvedRef", "contentDigest", "templateIdentity", "templateLanguage"],
  ...["templateType", "engineKind", "targetFramework", "parameterSchema", "parameterSchemaOrigin"],
] as const satisfies readonly (keyof ReplacedDraft & keyof TemplateVersion)[];

const members = [
  ...["templateVersionId", "templateId", ...contentMembers, "revision", "changelog", "status", "publishedAt"],
  ...["deprecation", "createdAt"],
] as const satisfies readonly (keyof TemplateVersion)[];

/** A row of `template_versions`, alone or inside JSON. The facts are missing, since only evaluations and executions read them. */
export type TemplateVersionRow = RowOf<TemplateVersion, (typeof members)[number]>;
export const templateVersionColumns = columnsOf(TemplateVersion, members);
const readVersion = rowReader(TemplateVersion);

/** A template's parameter names, which executions need. */
export interface KnownParameters {
  /** Null until the content was read. */
  readonly parameterNames: readonly string[] | null;
  /** The parameter names by their aliases. */
  readonly parameterAliases: Readonly<Record<string, string>>;
}

/** The parameters that a content read has found. */
export type ReadContent = KnownParameters & Pick<TemplateVersionType, "parameterSchema">;

/** A version with what executions need to know about it and its template. */
export type KnownTemplateVersion = TemplateVersionType &
  KnownParameters & { readonly templateStatus: TemplateType["status"] };

/** A row's view. */
export const templateVersionView = (row: TemplateVersionRow): TemplateVersionType =>
  versionEntityView(readVersion(row));

/** A `replaced_drafts` row. */
export type ReplacedDraftRow = RowOf<ReplacedDraft, (typeof contentMembers)[number]>;
export const replacedDraftColumns = columnsOf(ReplacedDraft, contentMembers);
const readReplacedDraft = rowReader(ReplacedDraft);

/** A version's members that a replacement has changed. Its facts are read again from its content. */
export const replacedView = (row: ReplacedDraftRow) => ({
  ...readReplacedDraft(row),
  parameterNames: null,
  parameterAliases: {},
});

type ShownVersion = RecordOf<TemplateVersion, (typeof members)[number]>;
/** An entity's members that readers do not see. */
type Unseen = Partial<Omit<TemplateVersion, keyof ShownVersion>>;

/** The GraphQL view for a version that was read, or that a mutation has created or changed. */
export function versionEntityView(version: ShownVersion & Unseen): TemplateVersionType {
  const { tenantId: _, precedence: __, facts: ___, details: ____, publishedAt, createdAt, ...fields } = version;
  return { ...fields, publishedAt: publishedAt?.toISOString() ?? null, createdAt: createdAt.toISOString() };
}

/** Selects the template in its source that a version is about. */
export function templateChoice(
  version: Pick<TemplateVersionType, "templateIdentity" | "templateLanguage" | "templateType">,
): TemplateChoice {
  return { identity: version.templateIdentity, language: version.templateLanguage, type: version.templateType };
}
