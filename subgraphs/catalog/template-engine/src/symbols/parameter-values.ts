import { evaluatorFor } from "../conditions/evaluate-condition.js";
import {
  MultiValue,
  parseBoolean,
  parseDouble,
  parseHex,
  parseLong,
  type SymbolValue,
} from "../conditions/symbol-value.js";
import type { ParameterDatatype, ParameterSymbol } from "../configuration/template-config.js";
import type { RenderReport } from "../findings/render-report.js";
import { renderFailed } from "../findings/template-error.js";
import { choiceNames, choiceParts } from "./choice-values.js";
import { mentionedNames, sortByDependency } from "./dependency-order.js";

interface ParameterOutcome {
  values: Map<string, SymbolValue>;
  /** The parameters with a value in the request. */
  given: ReadonlySet<string>;
  /** The parameters that a condition disabled; they are treated as if the template did not have them. */
  disabled: ReadonlySet<string>;
}

/** The symbol members that decide how a request's value is read. */
export type ValueRules = Pick<
  ParameterSymbol,
  | "datatype"
  | "infersType"
  | "choices"
  | "allowMultipleValues"
  | "defaultValue"
  | "defaultIfOptionWithoutValue"
  | "isRequired"
  | "replaces"
>;

/** Whether every request must have the parameter. Where a condition decides, a render finds out. */
export function isAlwaysRequired({ isRequired, isEnabled }: ParameterSymbol): boolean {
  return isRequired === true && isEnabled === true;
}

const datatypeDefaults: Readonly<Record<ParameterDatatype, string | null>> = {
  string: null,
  bool: "false",
  integer: "0",
  float: "0",
  hex: "0x0",
  choice: "",
};

/** The values of all parameters: from the request, and defaults for the others. */
export function parameterValues(
  symbols: readonly ParameterSymbol[],
  request: Readonly<Record<string, unknown>>,
  report: RenderReport,
): ParameterOutcome {
  const values = new Map<string, SymbolValue>();
  const givenNames = new Set<string>();
  for (const symbol of symbols) {
    const value = Object.hasOwn(request, symbol.name) ? request[symbol.name] : undefined;
    const text = value === undefined ? undefined : requestText(symbol, value);
    if (value !== undefined && text === undefined)
      throw refused(symbol, "must be a text, a number, a boolean or a list of these");
    if (text !== undefined) givenNames.add(symbol.name);
    // conditions use defaults, also for required parameters
    setValue(values, symbol, text ?? knownChoices(symbol, defaultOf(symbol), report));
  }
  const disabledNames = disabledParameters(symbols, values, report);
  for (const symbol of symbols) {
    if (disabledNames.has(symbol.name) || givenNames.has(symbol.name) || !holds(symbol.isRequired, values, report))
      continue;
    throw renderFailed(`The parameter "${symbol.name}" is required, but it has no value.`, {
      pointer: `/parameters/${symbol.name}`,
    });
  }
  return { values, given: givenNames, disabled: disabledNames };
}

/** Conditions first use all values; those that use a disabled parameter are evaluated again without it. */
function disabledParameters(
  symbols: readonly ParameterSymbol[],
  values: Map<string, SymbolValue>,
  report: RenderReport,
): Set<string> {
  const names = symbols.map((symbol) => symbol.name);
  const conditions = symbols.flatMap(({ name, isEnabled }) =>
    typeof isEnabled === "string" ? [{ name, isEnabled, sources: mentionedNames(isEnabled, names) }] : [],
  );
  const disabledNames = new Set(
    conditions.filter((condition) => !holds(condition.isEnabled, values, report)).map(({ name }) => name),
  );
  const dependentConditions = dependents(conditions, disabledNames);
  for (const name of disabledNames) values.delete(name);
  for (const { name, isEnabled } of sortByDependency(dependentConditions, (condition) => condition.sources)) {
    if (holds(isEnabled, values, report)) {
      disabledNames.delete(name);
    } else {
      disabledNames.add(name);
      values.delete(name);
    }
  }
  for (const { name, isEnabled } of symbols) {
    if (isEnabled !== false) continue;
    disabledNames.add(name);
    values.delete(name);
  }
  return disabledNames;
}

/** All names that depend on one of the names, directly or transitively. */
function dependents<T extends { readonly name: string; readonly sources: readonly string[] }>(
  all: readonly T[],
  names: ReadonlySet<string>,
): T[] {
  const dependentItems = new Set<T>();
  let frontier: readonly string[] = [...names];
  while (frontier.length > 0) {
    const next = all.filter(
      (item) => !dependentItems.has(item) && item.sources.some((source) => frontier.includes(source)),
    );
    for (const item of next) dependentItems.add(item);
    frontier = next.map(({ name }) => name);
  }
  return all.filter((item) => dependentItems.has(item));
}

function holds(condition: boolean | string, values: ReadonlyMap<string, SymbolValue>, report: RenderReport): boolean {
  if (typeof condition === "boolean") return condition;
  const { value, fault } = evaluatorFor("C++2", values)(condition);
  if (fault !== null)
    report.warn("ConditionUnparseable", `The condition "${condition}" is treated as false: ${fault}.`);
  return value;
}

/** An optional text without a default has the text that it replaces as its default. */
function defaultOf(symbol: ValueRules): string | null {
  return (
    symbol.defaultValue ?? (symbol.isRequired === true ? null : (datatypeDefaults[symbol.datatype] ?? symbol.replaces))
  );
}

/** Ignores unknown choices in a default; in a request they are refused. */
function knownChoices(symbol: ParameterSymbol, standard: string | null, report: RenderReport): string | null {
  if (standard === null || symbol.datatype !== "choice" || !symbol.allowMultipleValues) return standard;
  const parts = choiceParts(standard);
  const names = choiceNames(symbol.choices);
  const validParts = parts.filter((part) => names.find(part) !== undefined);
  if (validParts.length < parts.length) {
    report.warn("SchemaViolation", `The default "${standard}" of "${symbol.name}" names a choice that does not exist.`);
  }
  return validParts.join("|");
}

/** The text for a value in a request; undefined for an object. */
export function requestText(symbol: ValueRules, value: unknown): string | undefined {
  if (value === null) return symbol.defaultIfOptionWithoutValue ?? defaultOf(symbol) ?? "";
  if (Array.isArray(value)) {
    const texts = value.map((item) => requestText(symbol, item));
    return texts.includes(undefined) ? undefined : texts.join("|");
  }
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return isNumberText(value) ? numberText(symbol, value.rawJSON) : undefined;
  }
}

interface NumberText {
  readonly rawJSON: string;
}

/** A JSON number with the text that JavaScript would change. TypeScript does not know the method yet. */
const { isRawJSON: isNumberText } = JSON as typeof JSON & {
  readonly isRawJSON: (value: unknown) => value is NumberText;
};

/** A whole number has digits only, since `1E5` is an integer in JSON and none in a template. */
function numberText({ datatype }: ValueRules, text: string): string {
  const number = Number(text);
  return datatype === "integer" && Number.isSafeInteger(number) ? String(number) : text;
}

function setValue(values: Map<string, SymbolValue>, symbol: ParameterSymbol, text: string | null): void {
  if (text === null) return;
  const value = typedValue(symbol, text);
  if (value === undefined) throw refused(symbol, `does not accept "${text}"${choiceHint(symbol, text)}`);
  values.set(symbol.name, value);
}

function refused(symbol: ParameterSymbol, why: string) {
  return renderFailed(`The parameter "${symbol.name}" ${why}.`, { pointer: `/parameters/${symbol.name}` });
}

/** The value that a text has for a parameter; undefined when it does not fit. */
export function typedValue(symbol: ValueRules, text: string): SymbolValue | undefined {
  if (symbol.datatype === "choice") return choiceValue(symbol, text);
  if (symbol.infersType) return inferredValue(text);
  return convertText(symbol.datatype, text);
}

/** Infers the type of a text without a datatype; a text with a double quote stays a text. */
export function inferredValue(text: string): SymbolValue {
  if (text.includes('"')) return text;
  if (text.toLowerCase() === "null") return null;
  const float = text.includes(".") ? parseDouble(text) : undefined;
  return parseBoolean(text) ?? float ?? parseLong(text) ?? parseHex(text) ?? text;
}

/** Converts a text to a value of a datatype; undefined when it does not fit. */
export function convertText(datatype: ParameterDatatype, text: string): SymbolValue | undefined {
  switch (datatype) {
    case "bool":
      return parseBoolean(text);
    case "integer":
      return parseLong(text);
    case "float":
      return parseDouble(text);
    case "hex":
      return parseHex(text);
    case "string":
    case "choice":
      return text;
  }
}

function choiceValue({ choices, allowMultipleValues }: ValueRules, text: string): SymbolValue | undefined {
  const names = choiceNames(choices);
  if (!allowMultipleValues) return names.find(text);
  const result = new Set<string>();
  for (const part of choiceParts(text)) {
    const choice = names.find(part);
    if (choice === undefined) return undefined;
    result.add(choice);
  }
  return new MultiValue([...result]);
}

const maxNamedChoices = 20;

/** Lists the choices that begin with the text, or all choices. */
function choiceHint(symbol: ParameterSymbol, text: string): string {
  if (symbol.datatype !== "choice") return "";
  const parts = symbol.allowMultipleValues ? choiceParts(text) : [text];
  const names = choiceNames(symbol.choices);
  const wrong = parts.find((part) => names.find(part) === undefined) ?? text;
  const fitting = names.beginningWith(wrong);
  const candidates = fitting.length > 1 ? fitting : symbol.choices.map(({ choice }) => choice);
  const examples = candidates.slice(0, maxNamedChoices).map((choice) => `"${choice}"`);
  if (candidates.length > examples.length) examples.push("others");
  return fitting.length > 1
    ? `: several choices begin with "${wrong}": ${examples.join(", ")}`
    : `. Use one of ${examples.join(", ")}`;
}
