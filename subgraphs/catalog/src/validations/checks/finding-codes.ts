// biome-ignore-all format: one row per code, aligned
import type { Finding, FindingSeverity } from "../../engine/finding.js";

export type CheckName = "StructuralLint" | "ParameterSchema" | "SampleGeneration";

/** In the order in which their findings are reported. */
export const checkNames: readonly CheckName[] = ["StructuralLint", "ParameterSchema", "SampleGeneration"];

/** Every code of ours with its usual severity: an Error is what would fail or damage an execution. */
export const findingCodes = {
  CaseCollision:            { check: "StructuralLint",   severity: "Error" },
  FileTooLarge:             { check: "StructuralLint",   severity: "Warning" },
  InvalidMultiChoice:       { check: "StructuralLint",   severity: "Error" },
  InvalidRegex:             { check: "StructuralLint",   severity: "Error" },
  MissingIdentity:          { check: "StructuralLint",   severity: "Error" },
  MissingName:              { check: "StructuralLint",   severity: "Error" },
  MissingShortName:         { check: "StructuralLint",   severity: "Error" },
  PathTraversal:            { check: "StructuralLint",   severity: "Error" },
  PostActionUnknown:        { check: "StructuralLint",   severity: "Warning" },
  PrimaryOutputMissing:     { check: "StructuralLint",   severity: "Error" },
  ReservedFileName:         { check: "StructuralLint",   severity: "Error" },
  RunScriptPostAction:      { check: "StructuralLint",   severity: "Warning" },
  SchemaViolation:          { check: "StructuralLint",   severity: "Warning" },
  SourceMissing:            { check: "StructuralLint",   severity: "Error" },
  SourceNotDirectory:       { check: "StructuralLint",   severity: "Error" },
  SourceOutsidePackage:     { check: "StructuralLint",   severity: "Error" },
  SymbolCycle:              { check: "StructuralLint",   severity: "Error" },
  TemplateAmbiguous:        { check: "StructuralLint",   severity: "Error" },
  TemplateConfigMissing:    { check: "StructuralLint",   severity: "Error" },
  TemplateConfigUnreadable: { check: "StructuralLint",   severity: "Error" },
  UnbalancedConditional:    { check: "StructuralLint",   severity: "Error" },
  UnknownGenerator:         { check: "StructuralLint",   severity: "Error" },
  UnknownValueForm:         { check: "StructuralLint",   severity: "Error" },

  DefaultDiffers:           { check: "ParameterSchema",  severity: "Warning" },
  DefaultNotValid:          { check: "ParameterSchema",  severity: "Error" },
  EnumDiffersFromChoices:   { check: "ParameterSchema",  severity: "Error" },
  EnumEmpty:                { check: "ParameterSchema",  severity: "Error" },
  EnumTypeMismatch:         { check: "ParameterSchema",  severity: "Error" },
  PropertyWithoutSymbol:    { check: "ParameterSchema",  severity: "Warning" },
  RemoteRefNotAllowed:      { check: "ParameterSchema",  severity: "Error" },
  RequiredDiffers:          { check: "ParameterSchema",  severity: "Error" },
  RequiredNotInProperties:  { check: "ParameterSchema",  severity: "Error" },
  ReservedParameterName:    { check: "ParameterSchema",  severity: "Error" },
  RootNotObject:            { check: "ParameterSchema",  severity: "Error" },
  SchemaNotValid:           { check: "ParameterSchema",  severity: "Error" },
  SymbolWithoutProperty:    { check: "ParameterSchema",  severity: "Warning" },
  TypeMismatch:             { check: "ParameterSchema",  severity: "Error" },

  ConditionUnparseable:     { check: "SampleGeneration", severity: "Warning" },
  DirectiveLeft:            { check: "SampleGeneration", severity: "Error" },
  NoFilesProduced:          { check: "SampleGeneration", severity: "Error" },
  NonDeterministic:         { check: "SampleGeneration", severity: "Error" },
  NotWellFormed:            { check: "SampleGeneration", severity: "Error" },
  PrimaryOutputNotProduced: { check: "SampleGeneration", severity: "Error" },
  SampleRenderFailed:       { check: "SampleGeneration", severity: "Error" },
  TargetFrameworkMismatch:  { check: "SampleGeneration", severity: "Warning" },
  TokenLeft:                { check: "SampleGeneration", severity: "Warning" },
} as const satisfies Record<string, { check: CheckName; severity: FindingSeverity }>;

export type FindingCode = keyof typeof findingCodes;

export interface FindingFacts {
  path?: string | null | undefined;
  pointer?: string | null | undefined;
  line?: number | null | undefined;
  column?: number | null | undefined;
  suggestion?: string | undefined;
  /** Where the case at hand weighs otherwise than the code does. */
  severity?: FindingSeverity;
}

export function finding(code: FindingCode, message: string, facts: FindingFacts = {}): Finding {
  const { check, severity } = findingCodes[code];
  return {
    check,
    severity: facts.severity ?? severity,
    code,
    message,
    path: facts.path ?? null,
    pointer: facts.pointer ?? null,
    line: facts.line ?? null,
    column: facts.column ?? null,
    suggestion: facts.suggestion ?? null,
  };
}
