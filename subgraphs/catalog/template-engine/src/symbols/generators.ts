import { decideCondition, evaluatorNamed } from "../conditions/evaluate-condition.js";
import { MultiValue, parseLong, type SymbolValue, textOf } from "../conditions/symbol-value.js";
import type { GeneratedSymbol } from "../configuration/template-config.js";
import type { RenderReport } from "../findings/render-report.js";
import { renderFailed } from "../findings/template-error.js";
import { escapePointer, type JsonObject } from "../json/json-value.js";
import { booleanMember, objectsMember, textMember } from "../json/jsonc.js";
import type { TemplatePattern, TemplatePatterns } from "../regular-expressions/template-patterns.js";
import type { ProjectProperties } from "../target/project-properties.js";
import { lower, upper } from "../text/invariant-case.js";
import { formatDate } from "./date-format.js";
import { formatGuid, guidFormats, seededGuid, seededInteger } from "./seeded-values.js";

export interface GeneratorContext {
  readonly variables: Map<string, SymbolValue>;
  readonly given: ReadonlySet<string>;
  readonly parameterNames: ReadonlySet<string>;
  /** The target project's properties, for bindings. */
  readonly project: ProjectProperties;
  readonly seed: string;
  readonly now: Date;
  readonly report: RenderReport;
  readonly patterns: TemplatePatterns;
}

type Generator = (symbol: GeneratedSymbol, context: GeneratorContext) => SymbolValue | undefined;

const generators: ReadonlyMap<string, Generator> = new Map<string, Generator>([
  ["casing", casing],
  ["coalesce", coalesce],
  ["constant", (symbol) => text(symbol, "value")],
  ["evaluate", evaluate],
  ["guid", guid],
  ["join", join],
  ["now", currentTime],
  ["port", port],
  ["random", random],
  ["regex", regex],
  ["regexmatch", regexMatch],
  ["switch", switchCase],
]);

/** Whether the engine has a generator with this name. */
export function isGenerator(name: string): boolean {
  return generators.has(name.toLowerCase());
}

/** A generated symbol's value; undefined when the symbol stays without a value. */
export function generate(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue | undefined {
  const generator = generators.get(symbol.generator.toLowerCase());
  if (generator !== undefined) return generator(symbol, context);
  context.report.warn(
    "UnknownGenerator",
    `The symbol "${symbol.name}" has the unknown generator "${symbol.generator}".`,
  );
  return undefined;
}

/** The symbols that must have a value before the generator runs. */
export function generatorSources(symbol: GeneratedSymbol): { names: string[]; expressions: string[] } {
  const { parameters } = symbol;
  const parameterNames = ["source", "sourceVariableName", "fallbackVariableName"].map((key) =>
    textMember(parameters, key),
  );
  const parts = objectsMember(parameters, "symbols").filter((part) => isReference(part));
  const conditions = objectsMember(parameters, "cases").map((entry) => textMember(entry, "condition"));
  return {
    names: [...parameterNames, ...parts.map((part) => textMember(part, "value"))].filter((name) => name !== null),
    expressions: [...conditions, textMember(parameters, "action")].filter((expression) => expression !== null),
  };
}

function text(symbol: GeneratedSymbol, name: string): string {
  const value = textMember(symbol.parameters, name);
  if (value === null) {
    throw renderFailed(`The generator of the symbol "${symbol.name}" requires the parameter "${name}".`, {
      pointer: `/symbols/${symbol.name}/parameters`,
    });
  }
  return value;
}

function source(symbol: GeneratedSymbol, context: GeneratorContext): string | undefined {
  const value = context.variables.get(text(symbol, "source"));
  return value === undefined || value === null ? undefined : textOf(value);
}

function casing(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue | undefined {
  const value = source(symbol, context);
  if (value === undefined) return undefined;
  return booleanMember(symbol.parameters, "toLower", true) ? lower(value) : upper(value);
}

/** Uses the source symbol only when the request set it to a value other than the named default. */
function coalesce(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue | undefined {
  const name = text(symbol, "sourceVariableName");
  const value = context.variables.get(name);
  const standard = textMember(symbol.parameters, "defaultValue");
  const fromRequest = !context.parameterNames.has(name) || context.given.has(name);
  const empty = value === undefined || value === null || value === "";
  if (!empty && fromRequest && textOf(value) !== standard) return value;
  return context.variables.get(text(symbol, "fallbackVariableName"));
}

function evaluate(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue {
  return decideCondition(text(symbol, "action"), context.variables, context.report, evaluatorOf(symbol));
}

function evaluatorOf(symbol: GeneratedSymbol) {
  const name = textMember(symbol.parameters, "evaluator");
  const evaluator = evaluatorNamed(name, "C++2");
  if (evaluator === undefined) throw renderFailed(`The symbol "${symbol.name}" names the unknown evaluator "${name}".`);
  return evaluator;
}

function guid(symbol: GeneratedSymbol, { variables, seed }: GeneratorContext): SymbolValue {
  const value = seededGuid(seed, `symbol/${symbol.name}`);
  setGuidFormats(variables, symbol.name, value, textMember(symbol.parameters, "format"));
  const format = textMember(symbol.parameters, "defaultFormat");
  return formatGuid(value, format === null || format === "" ? "D" : format);
}

/** A GUID also has a value for each format under the names `name-f`, `name-lc-f` and `name-uc-F`. */
export function setGuidFormats(
  variables: Map<string, SymbolValue>,
  name: string,
  value: string,
  formats: string | null,
): void {
  for (const format of formats === null || formats === "" ? guidFormats : formats) {
    if (!/^[ndbpx]$/i.test(format)) continue;
    const casing = format === format.toLowerCase() ? "lc" : "uc";
    const text = formatGuid(value, format);
    variables.set(`${name}-${format}`, text).set(`${name}-${casing}-${format}`, text);
  }
}

function join(symbol: GeneratedSymbol, { variables }: GeneratorContext): SymbolValue {
  const parts = objectsMember(symbol.parameters, "symbols").flatMap((part) => {
    const value = textMember(part, "value") ?? "";
    if (!isReference(part)) return [value];
    const source = variables.get(value);
    return source instanceof MultiValue ? source.values : [textOf(source)];
  });
  const nonEmptyParts = booleanMember(symbol.parameters, "removeEmptyValues")
    ? parts.filter((part) => part !== "")
    : parts;
  return nonEmptyParts.join(textMember(symbol.parameters, "separator") ?? "");
}

function isReference(part: JsonObject): boolean {
  return (textMember(part, "type") ?? "const").toLowerCase() === "ref";
}

/** Times are always UTC; the flag only changes how the time zone is written. */
function currentTime({ parameters }: GeneratedSymbol, { now }: GeneratorContext): SymbolValue {
  return formatDate(now, textMember(parameters, "format") ?? "", booleanMember(parameters, "utc") ? "utc" : "local");
}

// ports that browsers refuse to open
const unsafePorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
const minPort = 1024n;
const maxPort = 65_535n;

/** A port in the range, chosen by the seed. Nothing checks whether the port is free. */
function port(symbol: GeneratedSymbol, { seed }: GeneratorContext): SymbolValue {
  const low = bounded(integer(symbol, "low") ?? minPort);
  const high = bounded(integer(symbol, "high") ?? maxPort);
  let port = seededInteger(seed, `symbol/${symbol.name}`, { low, high });
  while (unsafePorts.has(Number(port)) && port < high) port++;
  if (!unsafePorts.has(Number(port))) return port;
  return integer(symbol, "fallback") ?? port;
}

function bounded(value: bigint): bigint {
  if (value < minPort) return minPort;
  return value > maxPort ? maxPort : value;
}

const maxRandom = 2_147_483_647n;

function random(symbol: GeneratedSymbol, { seed }: GeneratorContext): SymbolValue {
  const low = integer(symbol, "low") ?? 0n;
  const high = integer(symbol, "high") ?? maxRandom;
  return seededInteger(seed, `symbol/${symbol.name}`, { low, high });
}

function integer(symbol: GeneratedSymbol, name: string): bigint | undefined {
  const value = textMember(symbol.parameters, name);
  return value === null ? undefined : parseLong(value);
}

function regex(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue | undefined {
  const value = source(symbol, context);
  if (value === undefined) return undefined;
  return objectsMember(symbol.parameters, "steps").reduce((current, step, index) => {
    const pattern = patternOf(symbol, textMember(step, "regex"), `steps/${index}/regex`);
    return context.patterns.replace(current, pattern, textMember(step, "replacement") ?? "");
  }, value);
}

function regexMatch(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue | undefined {
  const value = source(symbol, context);
  if (value === undefined) return undefined;
  return context.patterns.matches(value, patternOf(symbol, text(symbol, "pattern"), "pattern"));
}

function patternOf({ name }: GeneratedSymbol, pattern: string | null, member: string): TemplatePattern {
  return { pattern, owner: `Symbol "${name}"`, pointer: `/symbols/${escapePointer(name)}/parameters/${member}` };
}

function switchCase(symbol: GeneratedSymbol, context: GeneratorContext): SymbolValue {
  const evaluator = evaluatorOf(symbol);
  for (const entry of objectsMember(symbol.parameters, "cases")) {
    const condition = textMember(entry, "condition");
    if (decideCondition(condition, context.variables, context.report, evaluator))
      return textMember(entry, "value") ?? "";
  }
  return "";
}
