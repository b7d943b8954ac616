// biome-ignore-all format: one row per code, aligned
import { type TemplateCheck, templateChecks } from "@factory/schema/vocabularies/templates";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import type { Finding, FindingSeverity } from "@factory/template-engine/finding";

/** A check's name. */
export type CheckName = TemplateCheck;

/** All checks, in the order in which their findings are reported. */
export const checkNames = valuesOf(templateChecks);

/**
 * All finding codes with their usual severity. An Error is something that `dotnet new` refuses, or that makes an
 * execution fail or unsafe. Everything that `dotnet new` accepts is a Warning at most. `known` is the code of the same
 * finding in the validation of `dotnet new` itself.
 */
export const findingCodes = {
  CaseCollision:                       { check: "StructuralLint",   severity: "Error" },
  ConditionUnparseable:                { check: "StructuralLint",   severity: "Warning" },
  ConstraintNotChecked:                { check: "StructuralLint",   severity: "Info" },
  ConstraintNotMet:                    { check: "StructuralLint",   severity: "Warning" },
  FileTooLarge:                        { check: "StructuralLint",   severity: "Warning" },
  InvalidMultiChoice:                  { check: "StructuralLint",   severity: "Error", known: "MV004" },
  InvalidRegex:                        { check: "StructuralLint",   severity: "Error" },
  LfsObjectMissing:                    { check: "StructuralLint",   severity: "Error" },
  LocalizationMismatch:                { check: "StructuralLint",   severity: "Warning" },
  LocalizationUnreadable:              { check: "StructuralLint",   severity: "Warning" },
  ManualInstructionIdDuplicated:       { check: "StructuralLint",   severity: "Warning", known: "CONFIG0203" },
  MissingAuthor:                       { check: "StructuralLint",   severity: "Info", known: "MV006" },
  MissingClassifications:              { check: "StructuralLint",   severity: "Info", known: "MV010" },
  MissingGeneratorVersions:            { check: "StructuralLint",   severity: "Info", known: "MV008" },
  MissingGroupIdentity:                { check: "StructuralLint",   severity: "Info", known: "MV007" },
  MissingIdentity:                     { check: "StructuralLint",   severity: "Error", known: "MV001" },
  MissingManualInstructions:           { check: "StructuralLint",   severity: "Info", known: "MV011" },
  MissingName:                         { check: "StructuralLint",   severity: "Error", known: "MV002" },
  MissingPrecedence:                   { check: "StructuralLint",   severity: "Info", known: "MV009" },
  MissingShortName:                    { check: "StructuralLint",   severity: "Error", known: "MV003" },
  MissingSourceName:                   { check: "StructuralLint",   severity: "Info", known: "MV005" },
  PathTraversal:                       { check: "StructuralLint",   severity: "Error" },
  PostActionIdDuplicated:              { check: "StructuralLint",   severity: "Warning", known: "CONFIG0201" },
  PostActionIdMissing:                 { check: "StructuralLint",   severity: "Error", known: "CONFIG0202" },
  PostActionUnknown:                   { check: "StructuralLint",   severity: "Warning" },
  PrimaryOutputMissing:                { check: "StructuralLint",   severity: "Warning" },
  RegexTooSlow:                        { check: "StructuralLint",   severity: "Warning" },
  ReservedFileName:                    { check: "StructuralLint",   severity: "Error" },
  RunScriptPostAction:                 { check: "StructuralLint",   severity: "Warning" },
  SchemaViolation:                     { check: "StructuralLint",   severity: "Warning" },
  SecretLikeContent:                   { check: "StructuralLint",   severity: "Warning" },
  SourceMissing:                       { check: "StructuralLint",   severity: "Error", known: "MV012" },
  SourceNameAmbiguousForms:            { check: "StructuralLint",   severity: "Info" },
  SourceNotDirectory:                  { check: "StructuralLint",   severity: "Error", known: "MV012" },
  SourceOutsidePackage:                { check: "StructuralLint",   severity: "Error", known: "MV012" },
  SubmoduleNotAllowed:                 { check: "StructuralLint",   severity: "Error" },
  SymbolCycle:                         { check: "StructuralLint",   severity: "Error" },
  SymlinkNotAllowed:                   { check: "StructuralLint",   severity: "Error" },
  TemplateAmbiguous:                   { check: "StructuralLint",   severity: "Error" },
  TemplateConfigMissing:               { check: "StructuralLint",   severity: "Error" },
  TemplateConfigUnreadable:            { check: "StructuralLint",   severity: "Error" },
  TemplateNotFound:                    { check: "StructuralLint",   severity: "Error" },
  UnbalancedConditional:               { check: "StructuralLint",   severity: "Warning" },
  UnknownGenerator:                    { check: "StructuralLint",   severity: "Warning" },
  UnknownRenamedArgument:              { check: "StructuralLint",   severity: "Warning", known: "CONFIG0204" },
  UnknownSymbolInCondition:            { check: "StructuralLint",   severity: "Warning" },
  UnknownValueForm:                    { check: "StructuralLint",   severity: "Warning" },
  UnusedSymbol:                        { check: "StructuralLint",   severity: "Warning" },

  DefaultDiffers:                      { check: "ParameterSchema",  severity: "Warning" },
  DefaultNotValid:                     { check: "ParameterSchema",  severity: "Error" },
  EnumDiffersFromChoices:              { check: "ParameterSchema",  severity: "Error" },
  EnumEmpty:                           { check: "ParameterSchema",  severity: "Error" },
  EnumTypeMismatch:                    { check: "ParameterSchema",  severity: "Error" },
  PatternTooSlow:                      { check: "ParameterSchema",  severity: "Error" },
  PropertyWithoutSymbol:               { check: "ParameterSchema",  severity: "Warning" },
  RemoteRefNotAllowed:                 { check: "ParameterSchema",  severity: "Error" },
  RequiredDiffers:                     { check: "ParameterSchema",  severity: "Error" },
  RequiredNotInProperties:             { check: "ParameterSchema",  severity: "Error" },
  ReservedParameterName:               { check: "ParameterSchema",  severity: "Error" },
  RootNotObject:                       { check: "ParameterSchema",  severity: "Error" },
  SchemaNotValid:                      { check: "ParameterSchema",  severity: "Error" },
  SymbolWithoutProperty:               { check: "ParameterSchema",  severity: "Warning" },
  TypeMismatch:                        { check: "ParameterSchema",  severity: "Error" },

  DirectiveLeft:                       { check: "SampleGeneration", severity: "Warning" },
  NoFilesProduced:                     { check: "SampleGeneration", severity: "Warning" },
  NonDeterministic:                    { check: "SampleGeneration", severity: "Error" },
  NotWellFormed:                       { check: "SampleGeneration", severity: "Warning" },
  PackageReferenceWithVersionUnderCpm: { check: "SampleGeneration", severity: "Warning" },
  PathCollision:                       { check: "SampleGeneration", severity: "Error" },
  PrimaryOutputNotProduced:            { check: "SampleGeneration", severity: "Warning" },
  SampleRenderFailed:                  { check: "SampleGeneration", severity: "Error" },
  TargetFrameworkMismatch:             { check: "SampleGeneration", severity: "Warning" },
  TokenLeft:                           { check: "SampleGeneration", severity: "Warning" },
} as const satisfies Record<string, { check: CheckName; severity: FindingSeverity; known?: string }>;

/** A finding's code: one of the rows above. */
export type FindingCode = keyof typeof findingCodes;

/** A finding's place, a suggestion, and whatever differs from its code's usual row. */
interface FindingFacts {
  path?: string | null | undefined;
  pointer?: string | null | undefined;
  line?: number | null | undefined;
  column?: number | null | undefined;
  suggestion?: string | undefined;
  /** Replaces the code's usual severity. */
  severity?: FindingSeverity;
  /** Replaces the code's usual check, when another check finds it. */
  check?: CheckName;
}

/** Makes a finding with the severity and the check that its code usually has. */
export function finding(code: FindingCode, message: string, facts: FindingFacts = {}): Finding {
  const usual: { check: CheckName; severity: FindingSeverity; known?: string } = findingCodes[code];
  return {
    check: facts.check ?? usual.check,
    severity: facts.severity ?? usual.severity,
    code,
    message: usual.known === undefined ? message : `${message} (${usual.known})`,
    path: facts.path ?? null,
    pointer: facts.pointer ?? null,
    line: facts.line ?? null,
    column: facts.column ?? null,
    suggestion: facts.suggestion ?? null,
  };
}
