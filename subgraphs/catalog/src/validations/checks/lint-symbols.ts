import type { Finding } from "../../engine/finding.js";
import { objectsMember, textMember, textsMember } from "../../engine/jsonc.js";
import { mentionedNames, sortByDependency } from "../../engine/symbols/dependency-order.js";
import { dotnetRegex } from "../../engine/symbols/dotnet-regex.js";
import { generatorSources, isGenerator } from "../../engine/symbols/generators.js";
import { ValueForms } from "../../engine/symbols/value-forms.js";
import type { GeneratedSymbol, ParameterSymbol, TemplateConfig, TemplateSymbol } from "../../engine/template-config.js";
import { TemplateError } from "../../engine/template-error.js";
import { type ConfigPlaces } from "./config-place.js";
import { finding } from "./finding-codes.js";

export function lintSymbols(config: TemplateConfig, places: ConfigPlaces): Finding[] {
  const forms = new ValueForms(config.forms);
  const symbols = [...config.symbols.values()];
  return [
    ...symbols.flatMap((symbol) => [...lintSymbol(symbol, places), ...lintForms(symbol, forms, places)]),
    ...lintOwnForms(config, forms, places),
    ...lintCycles(symbols, places),
  ];
}

function lintSymbol(symbol: TemplateSymbol, places: ConfigPlaces): Finding[] {
  if (symbol.type === "parameter") return lintChoices(symbol, places);
  return symbol.type === "generated" ? lintGenerator(symbol, places) : [];
}

/** A multi-value parameter is written as one text whose parts these characters separate. */
function lintChoices({ name, choices, allowMultipleValues }: ParameterSymbol, places: ConfigPlaces): Finding[] {
  if (!allowMultipleValues) return [];
  return choices
    .filter(({ choice }) => /[|,]/.test(choice))
    .map(({ choice }) =>
      finding(
        "InvalidMultiChoice",
        `The choice "${choice}" of "${name}" holds a separator of several values.`,
        places.at("symbols", name, "choices"),
      ),
    );
}

function lintGenerator(symbol: GeneratedSymbol, places: ConfigPlaces): Finding[] {
  const { name, generator, parameters } = symbol;
  if (!isGenerator(generator)) {
    const message = `The symbol "${name}" has the unknown generator "${generator}".`;
    return [finding("UnknownGenerator", message, places.at("symbols", name, "generator"))];
  }
  const kind = generator.toLowerCase();
  const at = (...more: (string | number)[]) => places.at("symbols", name, "parameters", ...more);
  if (kind === "regexmatch") return invalidRegex(name, textMember(parameters, "pattern"), at("pattern"));
  if (kind !== "regex") return [];
  return objectsMember(parameters, "steps").flatMap((step, index) =>
    invalidRegex(name, textMember(step, "regex"), at("steps", index, "regex")),
  );
}

function invalidRegex(owner: string, pattern: string | null, place: ReturnType<ConfigPlaces["at"]>): Finding[] {
  if (pattern !== null && dotnetRegex(pattern) !== null) return [];
  const what = pattern === null ? "no regular expression" : `the unreadable regular expression "${pattern}"`;
  return [finding("InvalidRegex", `"${owner}" has ${what}.`, place)];
}

function lintForms(symbol: TemplateSymbol, forms: ValueForms, places: ConfigPlaces): Finding[] {
  if (symbol.type === "computed") return [];
  const named = symbol.type === "derived" && symbol.valueTransform !== null ? [symbol.valueTransform] : [];
  return [...new Set([...named, ...symbol.forms])]
    .filter((form) => !forms.has(form))
    .map((form) => unknownForm(`The symbol "${symbol.name}"`, form, places.at("symbols", symbol.name)));
}

function unknownForm(user: string, form: string, place: ReturnType<ConfigPlaces["at"]>): Finding {
  return finding("UnknownValueForm", `${user} uses the unknown value form "${form}".`, place);
}

function lintOwnForms(config: TemplateConfig, forms: ValueForms, places: ConfigPlaces): Finding[] {
  const findings = Array.from(config.forms).flatMap(([name, definition]) => {
    const identifier = (textMember(definition, "identifier") ?? name).toLowerCase();
    if (identifier === "replace")
      return invalidRegex(name, textMember(definition, "pattern") || ".", places.at("forms", name, "pattern"));
    if (identifier === "chain") {
      const unknown = stepsOf(config, name).filter((step) => !forms.has(step));
      return unknown.map((step) => unknownForm(`The value form "${name}"`, step, places.at("forms", name, "steps")));
    }
    return isIdentifier(name, forms)
      ? []
      : [unknownForm(`The value form "${name}"`, identifier, places.at("forms", name, "identifier"))];
  });
  const chains = Array.from(config.forms.keys(), (name) => ({ name }));
  return [
    ...findings,
    ...cycleAmong(chains, ({ name }) => stepsOf(config, name), { places, member: "forms", kind: "value forms" }),
  ];
}

function stepsOf(config: TemplateConfig, name: string): string[] {
  const definition = config.forms.get(name);
  const chained = definition !== undefined && (textMember(definition, "identifier") ?? name).toLowerCase() === "chain";
  return chained ? (textsMember(definition, "steps") ?? []) : [];
}

/** The engine is the one that knows its transforms. */
function isIdentifier(name: string, forms: ValueForms): boolean {
  try {
    return forms.apply(name, "x") !== undefined;
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
}

function lintCycles(symbols: readonly TemplateSymbol[], places: ConfigPlaces): Finding[] {
  const names = symbols.map(({ name }) => name);
  return cycleAmong(symbols, (symbol) => dependenciesOf(symbol, names), { places, member: "symbols", kind: "symbols" });
}

function dependenciesOf(symbol: TemplateSymbol, names: readonly string[]): string[] {
  switch (symbol.type) {
    case "computed":
      return mentionedNames(symbol.value, names);
    case "derived":
      return symbol.valueSource === null ? [] : [symbol.valueSource];
    case "generated": {
      const sources = generatorSources(symbol);
      return [...sources.names, ...sources.expressions.flatMap((expression) => mentionedNames(expression, names))];
    }
    case "parameter":
      return [symbol.isEnabled, symbol.isRequired].flatMap((condition) =>
        typeof condition === "string" ? mentionedNames(condition, names) : [],
      );
    case "bind":
      return [];
  }
}

interface CycleKind {
  places: ConfigPlaces;
  member: "symbols" | "forms";
  kind: string;
}

function cycleAmong<T extends { readonly name: string }>(
  items: readonly T[],
  dependencies: (item: T) => readonly string[],
  { places, member, kind }: CycleKind,
): Finding[] {
  try {
    sortByDependency(items, dependencies);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const path = error.message.slice(error.message.indexOf(":") + 2).replace(/\.$/, "");
    const [first = ""] = path.split(" → ").slice(-1);
    return [finding("SymbolCycle", `These ${kind} depend on each other: ${path}.`, places.at(member, first))];
  }
  return items.flatMap((item) =>
    member === "forms" && dependencies(item).includes(item.name)
      ? [finding("SymbolCycle", `The value form "${item.name}" chains itself.`, places.at(member, item.name))]
      : [],
  );
}
