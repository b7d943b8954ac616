import { DomainError } from "@factory/runtime/errors/domain-error";
import { TemplateError } from "@factory/template-engine/template-error";
import type { ExecutionErrorType } from "../record/execution.type.js";

/**
 * An execution's error for a DomainError or a TemplateError. Undefined for any other error: a bug or an outage, which
 * is retried.
 */
export function executionError(error: unknown): ExecutionErrorType | undefined {
  if (error instanceof TemplateError)
    return { code: error.code, message: error.message, details: { findings: error.findings } };
  if (!(error instanceof DomainError)) return undefined;
  const { detail, ...details } = error.facts;
  return { code: error.code, message: detail ?? error.code, details: Object.keys(details).length > 0 ? details : null };
}
