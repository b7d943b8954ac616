import { mentionedNames, sortByDependency } from "@factory/template-engine/dependency-order";
import type { Finding } from "@factory/template-engine/finding";
import { isJsonObject } from "@factory/template-engine/json-value";
import { listMember, member, textMember } from "@factory/template-engine/jsonc";
import { dependenciesOf } from "@factory/template-engine/symbol-dependencies";
import type { ParameterSymbol, TemplateConfig, TemplateSymbol } from "@factory/template-engine/template-config";
import { TemplateError } from "@factory/template-engine/template-error";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { lintEvaluator, lintGenerator } from "./generators.js";

export function lintSymbols(config: TemplateConfig, places: ConfigPlaces): Finding[] {
  const symbols = [...config.symbols.values()];
  return [
    ...symbols.flatMap((symbol) => [...lintSymbol(symbol, places), ...lintConditionMembers(symbol, places)]),
    ...lintCycles(symbols, places),
  ];
}

/** The engine reads these members on parameters only. */
function lintConditionMembers({ name, type, raw }: TemplateSymbol, places: ConfigPlaces): Finding[] {
  if (type === "parameter") return [];
  return ["isEnabled", "isRequired"]
    .filter((property) => member(raw, property) !== undefined)
    .map((property) =>
      finding(
        "SchemaViolation",
        `The engine reads ${property} of parameters only, so it has no effect on the ${type} symbol "${name}".`,
        {
          ...places.at("symbols", name, property),
          suggestion: "Put the condition where the symbol is used, or into a computed symbol.",
        },
      ),
    );
}

function lintSymbol(symbol: TemplateSymbol, places: ConfigPlaces): Finding[] {
  switch (symbol.type) {
    case "parameter":
      return lintChoices(symbol, places);
    case "generated":
      return lintGenerator(symbol, places);
    case "computed":
      return [
        ...mandatory(symbol, ["value"], places),
        ...lintEvaluator(symbol.name, symbol.evaluator, places.at("symbols", symbol.name, "evaluator")),
      ];
    case "derived":
      return mandatory(symbol, ["valueSource", "valueTransform"], places);
    case "bind":
      return mandatory(symbol, ["binding"], places);
  }
}

/** The engine ignores a symbol that lacks one of these members. */
function mandatory({ name, type, raw }: TemplateSymbol, members: readonly string[], places: ConfigPlaces): Finding[] {
  return members
    .filter((property) => !textMember(raw, property)?.trim())
    .map((property) =>
      finding("SchemaViolation", `The ${type} symbol "${name}" has no ${property}, so the engine ignores it.`, {
        ...places.at("symbols", name, property),
        suggestion: `Add "${property}" to the symbol.`,
      }),
    );
}

/** Checks choices. Several values are written as one text with the separators | and comma, so a choice has neither. */
function lintChoices({ name, raw, datatype, allowMultipleValues }: ParameterSymbol, places: ConfigPlaces): Finding[] {
  if (datatype !== "choice") return [];
  const findings: Finding[] = [];
  const names = new Set<string>();
  listMember(raw, "choices").forEach((entry, index) => {
    const place = places.at("symbols", name, "choices", index);
    const choice = isJsonObject(entry) ? member(entry, "choice") : undefined;
    if (typeof choice !== "string" || choice.trim() === "") {
      const message = `Choice ${index + 1} of "${name}" has no name, so the engine ignores the parameter.`;
      findings.push(finding("SchemaViolation", message, place));
      return;
    }
    if (names.has(choice)) {
      const message = `The choice "${choice}" is listed twice in "${name}". The template cannot be installed.`;
      findings.push(finding("SchemaViolation", message, { ...place, severity: "Error" }));
    }
    names.add(choice);
    if (!allowMultipleValues || !/[|,]/.test(choice)) return;
    const message = `The choice "${choice}" of "${name}" contains a character that separates several values.`;
    findings.push(finding("InvalidMultiChoice", message, { ...place, suggestion: "Use a name without | and comma." }));
  });
  return findings;
}

function lintCycles(symbols: readonly TemplateSymbol[], places: ConfigPlaces): Finding[] {
  const names = symbols.map(({ name }) => name);
  const values = cycleAmong(symbols, (symbol) => dependenciesOf(symbol, names));
  const conditions = cycleAmong(symbols, (symbol) => conditionNames(symbol, names));
  const suggestion = "Remove one reference to break the cycle.";
  return [
    ...(values
      ? [
          finding("SymbolCycle", `These symbols form a dependency cycle: ${values.path}.`, {
            ...places.at("symbols", values.first),
            suggestion,
          }),
        ]
      : []),
    // with the current values the engine may still finish
    ...(conditions
      ? [
          finding("SymbolCycle", `The conditions of these parameters form a dependency cycle: ${conditions.path}.`, {
            ...places.at("symbols", conditions.first),
            suggestion,
            severity: "Warning",
          }),
        ]
      : []),
  ];
}

function conditionNames(symbol: TemplateSymbol, names: readonly string[]): string[] {
  if (symbol.type !== "parameter") return [];
  return [symbol.isEnabled, symbol.isRequired].flatMap((condition) =>
    typeof condition === "string" ? mentionedNames(condition, names) : [],
  );
}

/** The first dependency cycle that the engine would meet. */
export function cycleAmong<T extends { readonly name: string }>(
  items: readonly T[],
  dependencies: (item: T) => readonly string[],
): { first: string; path: string } | undefined {
  try {
    sortByDependency(items, dependencies);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const path = error.message.slice(error.message.indexOf(":") + 2).replace(/\.$/, "");
    const [first = ""] = path.split(" → ").slice(-1);
    return { first, path };
  }
}
