import type { Finding } from "./finding.js";

export type TemplateErrorCode = "TEMPLATE_INVALID" | "RENDER_FAILED";

/** The only error that leaves the engine; the code matches an execution's error code. */
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

export interface FindingFacts {
  path?: string;
  pointer?: string;
  line?: number;
  column?: number;
  suggestion?: string;
}

/** An Error finding of the structural check. */
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

export function templateInvalid(code: string, message: string, facts: FindingFacts = {}): TemplateError {
  return new TemplateError("TEMPLATE_INVALID", message, [structuralError(code, message, facts)]);
}

export function renderFailed(message: string, facts: FindingFacts = {}): TemplateError {
  return new TemplateError("RENDER_FAILED", message, [structuralError("RenderFailed", message, facts)]);
}

/** The same code as the warning of the structural check, which foretells it. */
export function slowRegex(message: string, facts: FindingFacts): TemplateError {
  return new TemplateError("RENDER_FAILED", message, [structuralError("RegexTooSlow", message, facts)]);
}
