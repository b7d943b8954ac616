import type { Finding } from "./finding.js";

/** TEMPLATE_INVALID: the template cannot be loaded. RENDER_FAILED: this request cannot be rendered. */
export type TemplateErrorCode = "TEMPLATE_INVALID" | "RENDER_FAILED";

/** The only error that the engine throws. Its code is also an execution's error code. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";

  constructor(
    readonly code: TemplateErrorCode,
    message: string,
    readonly findings: Finding[] = [],
  ) {
    super(message);
  }
}

interface FindingFacts {
  path?: string;
  pointer?: string;
  line?: number;
  column?: number;
  suggestion?: string;
}

/** Makes a finding with severity Error for the StructuralLint check. */
export function structuralError(code: string, message: string, facts: FindingFacts = {}): Finding {
  return {
    check: "StructuralLint",
    severity: "Error",
    code,
    message,
    path: facts.path ?? null,
    pointer: facts.pointer ?? null,
    line: facts.line ?? null,
    column: facts.column ?? null,
    suggestion: facts.suggestion ?? null,
  };
}

/** Makes the error for a template that cannot be loaded. */
export function templateInvalid(code: string, message: string, facts: FindingFacts = {}): TemplateError {
  return new TemplateError("TEMPLATE_INVALID", message, [structuralError(code, message, facts)]);
}

/** Makes the error for a render that cannot be completed. */
export function renderFailed(message: string, facts: FindingFacts = {}): TemplateError {
  return new TemplateError("RENDER_FAILED", message, [structuralError("RenderFailed", message, facts)]);
}

/** An error with the warning code that StructuralLint reports in advance. */
export function slowRegex(message: string, facts: FindingFacts): TemplateError {
  return new TemplateError("RENDER_FAILED", message, [structuralError("RegexTooSlow", message, facts)]);
}
