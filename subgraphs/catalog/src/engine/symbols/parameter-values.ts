import { evaluatorFor } from "../expressions/evaluate.js";
import { MultiValue, parseBoolean, parseDouble, parseHex, parseLong, type SymbolValue } from "../expressions/value.js";
import type { RenderReport } from "../render-report.js";
import type { ParameterDatatype, ParameterSymbol } from "../template-config.js";
import { renderFailed } from "../template-error.js";
import { mentionedNames, sortByDependency } from "./dependency-order.js";

export interface ParameterOutcome {
  values: Map<string, SymbolValue>;
  /** Parameters whose value came with the request. */
  given: ReadonlySet<string>;
  /** Parameters that a condition switched off; they are as if the template did not have them. */
  disabled: ReadonlySet<string>;
}

const DEFAULTS: Readonly<Record<ParameterDatatype, string | null>> = {
  string: null,
  bool: "false",
  integer: "0",
  float: "0",
  hex: "0x0",
  choice: "",
};

/** Values of all parameters: those of the request, defaults for the rest. */
export function parameterValues(
  symbols: readonly ParameterSymbol[],
  request: Readonly<Record<string, unknown>>,
  report: RenderReport,
): ParameterOutcome {
  const values = new Map<string, SymbolValue>();
  const given = new Set<string>();
  const disabled = new Set<string>();
  for (const symbol of symbols) {
    const passed = Object.hasOwn(request, symbol.name) ? request[symbol.name] : undefined;
    const text = passed === undefined ? undefined : requestText(symbol, passed);
    if (text !== undefined) given.add(symbol.name);
    // conditions see defaults, also of required parameters
    setValue(values, symbol, text ?? defaultOf(symbol));
  }
  for (const symbol of inConditionOrder(symbols)) {
    if (!holds(symbol.isEnabled, values, report)) {
      disabled.add(symbol.name);
      values.delete(symbol.name);
      continue;
    }
    if (given.has(symbol.name) || !holds(symbol.isRequired, values, report)) continue;
    throw renderFailed(`The parameter "${symbol.name}" is required.`, { pointer: `/parameters/${symbol.name}` });
  }
  return { values, given, disabled };
}

function holds(condition: boolean | string, values: ReadonlyMap<string, SymbolValue>, report: RenderReport): boolean {
  if (typeof condition === "boolean") return condition;
  const { value, fault } = evaluatorFor("C++2", values)(condition);
  if (fault !== null) report.warn("ConditionUnparseable", `The condition "${condition}" counts as false: ${fault}.`);
  return value;
}

function inConditionOrder(symbols: readonly ParameterSymbol[]): ParameterSymbol[] {
  const names = symbols.map((symbol) => symbol.name);
  return sortByDependency(symbols, (symbol) => {
    const conditions = [symbol.isEnabled, symbol.isRequired].filter((condition) => typeof condition === "string");
    return conditions.flatMap((condition) => mentionedNames(condition, names));
  });
}

function defaultOf(symbol: ParameterSymbol): string | null {
  return symbol.defaultValue ?? (symbol.isRequired === true ? null : DEFAULTS[symbol.datatype]);
}

function requestText(symbol: ParameterSymbol, passed: unknown): string {
  if (passed === null) {
    if (symbol.defaultIfOptionWithoutValue !== null) return symbol.defaultIfOptionWithoutValue;
    return defaultOf(symbol) ?? "";
  }
  if (Array.isArray(passed)) return passed.map((one) => requestText(symbol, one)).join("|");
  switch (typeof passed) {
    case "string":
      return passed;
    case "number":
    case "bigint":
    case "boolean":
      return String(passed);
    default:
      throw refused(symbol, "has a value that is neither text, number, true, false nor a list of these");
  }
}

function setValue(values: Map<string, SymbolValue>, symbol: ParameterSymbol, text: string | null): void {
  if (text === null) return;
  const value = typedValue(symbol, text);
  if (value === undefined) throw refused(symbol, `does not accept "${text}"`);
  values.set(symbol.name, value);
}

function refused(symbol: ParameterSymbol, why: string) {
  return renderFailed(`The parameter "${symbol.name}" ${why}.`, { pointer: `/parameters/${symbol.name}` });
}

function typedValue(symbol: ParameterSymbol, text: string): SymbolValue | undefined {
  if (symbol.datatype === "choice") return choiceValue(symbol, text);
  return convertText(symbol.datatype, text);
}

/** Text as a value of a datatype, undefined when it is none. */
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

function choiceValue(symbol: ParameterSymbol, text: string): SymbolValue | undefined {
  if (!symbol.allowMultipleValues) return resolveChoice(symbol, text);
  const parts = text
    .split(/[|,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const chosen: string[] = [];
  for (const part of parts) {
    const choice = resolveChoice(symbol, part);
    if (choice === undefined) return undefined;
    if (!chosen.includes(choice)) chosen.push(choice);
  }
  return chosen.length > 1 ? new MultiValue(chosen) : (chosen[0] ?? "");
}

/** A choice by its name without regard to case, or by a beginning that only one choice has. */
function resolveChoice(symbol: ParameterSymbol, text: string): string | undefined {
  if (text === "") return symbol.choices.find(({ choice }) => choice === "")?.choice ?? "";
  const folded = text.toLowerCase();
  const exact = symbol.choices.find(({ choice }) => choice.toLowerCase() === folded);
  if (exact !== undefined) return exact.choice;
  const beginning = symbol.choices.filter(({ choice }) => choice.toLowerCase().startsWith(folded));
  return beginning.length === 1 ? beginning[0]?.choice : undefined;
}
