import type { Finding } from "../findings/finding.js";
import type { JsonObject, JsonValue } from "../json/json-value.js";

/** The model for `.template.config/template.json`, whose member names are case-insensitive. */
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
  /** Warnings about members that were ignored. */
  readonly problems: readonly Finding[];
  readonly raw: JsonObject;
}

type SymbolType = "parameter" | "derived" | "computed" | "generated" | "bind";

interface SymbolCommon {
  readonly name: string;
  readonly type: SymbolType;
  readonly raw: JsonObject;
}

export interface SymbolReplacement {
  readonly replaces: string | null;
  readonly fileRename: string | null;
  readonly onlyIf: readonly OnlyIf[];
  /** The names of value forms; only `identity` when the template names none. */
  readonly forms: readonly string[];
}

/** The text that must stand before or after a replaced text. */
export interface OnlyIf {
  readonly before: string | null;
  readonly after: string | null;
}

export interface SymbolChoice {
  readonly choice: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

/** The engine's datatypes: the format's `text` is `string` here, and its `int` is `integer`. */
export type ParameterDatatype = "string" | "bool" | "integer" | "float" | "hex" | "choice";

/** A symbol whose value comes from the request. */
export interface ParameterSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "parameter";
  readonly datatype: ParameterDatatype;
  /** True when no datatype is named, so that the value's text decides about its type. */
  readonly infersType: boolean;
  readonly choices: readonly SymbolChoice[];
  readonly defaultValue: string | null;
  readonly defaultIfOptionWithoutValue: string | null;
  /** A boolean, or a text with a condition. */
  readonly isRequired: boolean | string;
  readonly isEnabled: boolean | string;
  readonly allowMultipleValues: boolean;
  readonly enableQuotelessLiterals: boolean;
  readonly displayName: string | null;
  readonly description: string | null;
}

interface DerivedSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "derived";
  readonly valueSource: string | null;
  readonly valueTransform: string | null;
}

/** A symbol that has a condition's value. */
export interface ComputedSymbol extends SymbolCommon {
  readonly type: "computed";
  readonly value: string;
  readonly evaluator: string | null;
}

/** A symbol whose value a generator makes, for example a GUID or a date. */
export interface GeneratedSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "generated";
  readonly generator: string;
  readonly datatype: string | null;
  readonly parameters: JsonObject;
}

/** A symbol whose value comes from the host or from the target's project. */
export interface BindSymbol extends SymbolCommon, SymbolReplacement {
  readonly type: "bind";
  readonly binding: string | null;
  readonly datatype: ParameterDatatype | null;
  readonly defaultValue: string | null;
}

/** A symbol of any type, told apart by `type`. */
export type TemplateSymbol = ParameterSymbol | DerivedSymbol | ComputedSymbol | GeneratedSymbol | BindSymbol;

/** A template folder, the output folder that it is written to, and the patterns for its files. */
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

interface PrimaryOutput {
  readonly path: string;
  readonly condition: string | null;
}

/** A text for the user, in place of an action that was not done. */
export interface ManualInstruction {
  readonly id: string | null;
  readonly text: string;
  readonly condition: string | null;
}

/** An action after the render; `actionId` says what it does (dotnet new's registry). */
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

/** A template's sources; when it names none, its whole folder is the source. */
export function sourcesOf({ sources }: Pick<TemplateConfig, "sources">): readonly TemplateSource[] {
  return sources.length === 0 ? [wholeTemplate] : sources;
}
