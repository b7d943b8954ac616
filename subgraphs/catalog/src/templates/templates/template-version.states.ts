import type { TemplateVersionStatus } from "@factory/schema/vocabularies/templates";
/** One way: a Deprecated version stays executable, with a warning. A Draft may also be replaced or deleted. Publishing is an internal operation. */
export const templateVersionStates = {
  Draft: { next: ["Published"], event: "TemplateVersionCreated" },
  Published: { next: ["Deprecated"], event: "TemplateVersionPublished" },
  Deprecated: { next: [], event: "TemplateVersionDeprecated" },
} as const satisfies Record<TemplateVersionStatus, object>;

export type TemplateVersionState = TemplateVersionStatus;
