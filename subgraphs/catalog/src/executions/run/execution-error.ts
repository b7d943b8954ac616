import { DomainError } from "@factory/runtime/errors/domain-error";
import { TemplateError } from "@factory/template-engine/template-error";
import type { ExecutionErrorType } from "../record/execution.type.js";

/** A refusal becomes the execution's error; anything else is a bug or an outage and is tried again. */
export function executionError(error: unknown): ExecutionErrorType | undefined {
  if (error instanceof TemplateError)
    return { code: error.code, message: error.message, details: { findings: error.findings } };
  if (!(error instanceof DomainError)) return undefined;
  const { detail, ...details } = error.facts;
  return { code: error.code, message: detail ?? error.code, details: Object.keys(details).length > 0 ? details : null };
}
