import type { Finding } from "@factory/template-engine/finding";
import { textMember, textsMember } from "@factory/template-engine/jsonc";
import type { TemplateConfig, TemplateSymbol } from "@factory/template-engine/template-config";
import { ValueForms } from "@factory/template-engine/value-forms";
import type { ConfigPlace, ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { cycleAmong } from "./symbols.js";

/** Finds unknown value forms. The engine ignores them with a warning, but a chain that uses one fails. */
export function lintForms(config: TemplateConfig, places: ConfigPlaces): Finding[] {
  const forms = new ValueForms(config.forms, "identity");
  const usedNames = usedForms(config);
  return [
    ...Array.from(config.symbols.values()).flatMap((symbol) =>
      formsOf(symbol)
        .filter((form) => !forms.has(form))
        .map((form) => {
          const message = `The symbol "${symbol.name}" uses the unknown value form "${form}", which the engine ignores.`;
          return unknown(message, places.at("symbols", symbol.name), {});
        }),
    ),
    ...Array.from(config.forms.keys()).flatMap((name) => lintForm(config, name, { forms, used: usedNames, places })),
    ...lintChains(config, usedNames, places),
  ];
}

function lintForm(
  config: TemplateConfig,
  name: string,
  { forms, used, places }: { forms: ValueForms; used: ReadonlySet<string>; places: ConfigPlaces },
): Finding[] {
  const identifier = identifierOf(config, name);
  if (!knownIdentifiers.has(identifier.toLowerCase())) {
    const message = `The value form "${name}" has the unknown identifier "${identifier}", so that it changes nothing.`;
    return [unknown(message, places.at("forms", name, "identifier"), {})];
  }
  if (identifier.toLowerCase() === "replace" && textMember(config.forms.get(name) ?? {}, "pattern") === null) {
    const message = `The value form "${name}" of the kind replace has no pattern. The template cannot be installed.`;
    return [finding("SchemaViolation", message, { ...places.at("forms", name), severity: "Error" })];
  }
  return stepsOf(config, name)
    .filter((step) => !forms.has(step))
    .map((step) => {
      const place = places.at("forms", name, "steps");
      const message = `The chain "${name}" names the unknown value form "${step}".`;
      return unknown(message, place, used.has(name) ? { severity: "Error" } : {});
    });
}

function unknown(message: string, place: ConfigPlace, weight: { severity?: "Error" }): Finding {
  const suggestion = 'Name a built-in form, or define the form in "forms". The names are case-sensitive.';
  return finding("UnknownValueForm", message, { ...place, suggestion, ...weight });
}

function lintChains(config: TemplateConfig, usedNames: ReadonlySet<string>, places: ConfigPlaces): Finding[] {
  const chains = Array.from(config.forms.keys(), (name) => ({ name }));
  const cycle = cycleAmong(chains, ({ name }) => stepsOf(config, name));
  const selfReference = chains.find(({ name }) => stepsOf(config, name).includes(name));
  const first = cycle?.first ?? selfReference?.name;
  if (first === undefined) return [];
  const message = cycle
    ? `These value forms form a dependency cycle: ${cycle.path}.`
    : `The chain "${first}" contains itself.`;
  const severity = usedNames.has(first) ? "Error" : "Warning";
  return [finding("SymbolCycle", message, { ...places.at("forms", first), severity })];
}

/** The forms that a symbol uses, directly or through a chain. */
function usedForms(config: TemplateConfig): Set<string> {
  const names = new Set(Array.from(config.symbols.values()).flatMap(formsOf));
  // the loop also visits the forms that it adds
  for (const name of names) for (const step of stepsOf(config, name)) names.add(step);
  return names;
}

function formsOf(symbol: TemplateSymbol): string[] {
  if (symbol.type === "computed") return [];
  const transform = symbol.type === "derived" && symbol.valueTransform !== null ? [symbol.valueTransform] : [];
  // forms do not apply to generated and bound symbols
  const symbolForms = symbol.type === "parameter" || symbol.type === "derived" ? symbol.forms : [];
  return [...new Set([...transform, ...symbolForms])];
}

function identifierOf(config: TemplateConfig, name: string): string {
  const definition = config.forms.get(name);
  return (definition && textMember(definition, "identifier")) || "identity";
}

function stepsOf(config: TemplateConfig, name: string): string[] {
  const definition = config.forms.get(name);
  return definition && identifierOf(config, name).toLowerCase() === "chain"
    ? (textsMember(definition, "steps") ?? [])
    : [];
}

const knownIdentifiers = new Set(
  [
    ..."identity safe_name lower_safe_name safe_namespace lower_safe_namespace replace chain jsonEncode".split(" "),
    ..."xmlEncode lowerCase lowerCaseInvariant upperCase upperCaseInvariant firstLowerCase".split(" "),
    ..."firstLowerCaseInvariant firstUpperCase firstUpperCaseInvariant kebabCase snakeCase titleCase".split(" "),
  ].map((name) => name.toLowerCase()),
);
