import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Violation } from "../../../compatibility/compatibility/evaluate-set.js";
import type { TemplateVersionType } from "../../../templates/templates/template-version.type.js";
import type { KnownTemplateVersion } from "../../../templates/templates/template-version.view.js";
import type { ExecutionWarningType } from "../record/execution.type.js";

const maxErrors = 20;

/** The rule behind `execution.requirePublished`. A Deprecated version was published, and gives a warning. */
export function requirePublished({ status }: TemplateVersionType): void {
  if (status === "Draft")
    throw new DomainError("TEMPLATE_VERSION_NOT_PUBLISHED", {
      detail:
        "The version is a Draft, and this tenant executes published versions only (execution.requirePublished). Publish the version, or name a published one.",
      currentState: status,
      allowed: ["Published", "Deprecated"],
    });
}

/** The rule behind `execution.requireCompatible`. */
export function requireCompatible(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  throw new DomainError("LIBRARIES_INCOMPATIBLE", {
    detail:
      "The libraries are not compatible, and this tenant executes compatible sets only (execution.requireCompatible). See errors.",
    errors: violations.slice(0, maxErrors).map(({ rule, detail, suggestedResolution }) => ({
      pointer: "/libraries",
      code: rule,
      detail: `${detail} ${suggestedResolution}`,
    })),
  });
}

/** The warnings for an execution with a Deprecated version, or with an archived template. */
export function outdated({ status, templateStatus }: KnownTemplateVersion): ExecutionWarningType[] {
  const deprecationWarning = {
    code: "TemplateVersionDeprecated",
    message: "This version of the template is deprecated. Use a newer version.",
  };
  const archiveWarning = { code: "TemplateArchived", message: "The template is archived. Use another template." };
  return [
    ...(status === "Deprecated" ? [deprecationWarning] : []),
    ...(templateStatus === "Archived" ? [archiveWarning] : []),
  ];
}
