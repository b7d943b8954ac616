import type { Finding } from "../findings/finding.js";
import type { JsonObject, JsonValue } from "../json/json-value.js";

/** The parsed `.template.config/template.json`; property names are already matched without regard to case. */
export interface TemplateConfig {
  readonly identity: string | null;
  readonly groupIdentity: string | null;
  readonly name: string | null;
  readonly shortNames: readonly string[];
  readonly author: string | null;
  readonly description: string | null;
  readonly generatorVersions: string | null;
  readonly precedence: number | null;
  readonly classifications: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly sourceName: string | null;
  readonly defaultName: string | null;
  readonly preferDefaultName: boolean;
  readonly preferNameDirectory: boolean;
  readonly placeholderFilename: string | null;
  readonly guids: readonly string[];
  readonly symbols: ReadonlyMap<string, TemplateSymbol>;
  readonly forms: ReadonlyMap<string, JsonObject>;
  readonly sources: readonly TemplateSource[];
  readonly primaryOutputs: readonly PrimaryOutput[];
  readonly postActions: readonly PostAction[];
  readonly constraints: Readonly<Record<string, JsonValue>>;
  readonly globalCustomOperations: JsonObject | null;
  readonly specialCustomOperations: ReadonlyMap<string, JsonObject>;
  /** What was left out while reading, as warnings. */
  readonly problems: readonly Finding[];
  readonly raw: JsonObject;
}

export type SymbolType = "parameter" | "derived" | "computed" | "generated" | "bind";

export interface SymbolCommon {
  readonly name: string;
  readonly type: SymbolType;
  readonly raw: JsonObject;
}

export interface SymbolReplacement {
  readonly replaces: string | null;
  readonly fileRename: string | null;
  readonly onlyIf: readonly OnlyIf[];
  /** Names of value forms; `identity` only when the template names none. */
  readonly forms: readonly string[];
}

export interface OnlyIf {
  readonly before: string | null;
  readonly after: string | null;
}

export interface SymbolChoice {
  readonly choice: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

/** Datatypes as the engine uses them: `text` is spelled `string`, `int` is spelled `integer`. */
export type ParameterDatatype = "string" | "bool" | "integer" | "float" | "hex" | "choice";

export interface ParameterSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "parameter";
  readonly datatype: ParameterDatatype;
  /** No datatype is named: the value's text tells what it is. */
  readonly infersType: boolean;
  readonly choices: readonly SymbolChoice[];
  readonly defaultValue: string | null;
  readonly defaultIfOptionWithoutValue: string | null;
  /** A condition when it is text. */
  readonly isRequired: boolean | string;
  readonly isEnabled: boolean | string;
  readonly allowMultipleValues: boolean;
  readonly enableQuotelessLiterals: boolean;
  readonly displayName: string | null;
  readonly description: string | null;
}

export interface DerivedSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "derived";
  readonly valueSource: string | null;
  readonly valueTransform: string | null;
}

export interface ComputedSymbol extends SymbolCommon {
  readonly type: "computed";
  readonly value: string;
  readonly evaluator: string | null;
}

export interface GeneratedSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "generated";
  readonly generator: string;
  readonly datatype: string | null;
  readonly parameters: JsonObject;
}

export interface BindSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "bind";
  readonly binding: string | null;
  readonly datatype: ParameterDatatype | null;
  readonly defaultValue: string | null;
}

export type TemplateSymbol = ParameterSymbol | DerivedSymbol | ComputedSymbol | GeneratedSymbol | BindSymbol;

export interface TemplateSource {
  readonly source: string;
  readonly target: string;
  readonly condition: string | null;
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[] | null;
  readonly copyOnly: readonly string[] | null;
  readonly rename: Readonly<Record<string, string>>;
  readonly modifiers: readonly SourceModifier[];
}

export interface SourceModifier {
  readonly condition: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly copyOnly: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
}

export interface PrimaryOutput {
  readonly path: string;
  readonly condition: string | null;
}

export interface ManualInstruction {
  readonly id: string | null;
  readonly text: string;
  readonly condition: string | null;
}

export interface PostAction {
  readonly id: string | null;
  readonly actionId: string | null;
  readonly description: string | null;
  readonly condition: string | null;
  readonly continueOnError: boolean;
  readonly args: Readonly<Record<string, JsonValue>>;
  readonly manualInstructions: readonly ManualInstruction[];
  readonly applyFileRenamesToArgs: readonly string[];
  readonly applyFileRenamesToManualInstructions: boolean;
}

const wholeTemplate: TemplateSource = {
  source: "./",
  target: "./",
  condition: null,
  include: null,
  exclude: null,
  copyOnly: null,
  rename: {},
  modifiers: [],
};

/** The whole template where it names none. */
export function sourcesOf({ sources }: Pick<TemplateConfig, "sources">): readonly TemplateSource[] {
  return sources.length === 0 ? [wholeTemplate] : sources;
}
