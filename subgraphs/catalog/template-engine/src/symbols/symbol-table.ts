import { evaluatorFor, evaluatorNamed } from "../conditions/evaluate-condition.js";
import { type SymbolValue, textOf } from "../conditions/symbol-value.js";
import type {
  BindSymbol,
  ComputedSymbol,
  OnlyIf,
  ParameterSymbol,
  TemplateConfig,
  TemplateSymbol,
} from "../configuration/template-config.js";
import type { RenderReport } from "../findings/render-report.js";
import { renderFailed } from "../findings/template-error.js";
import { type PatternLimits, PatternTimeLimit } from "../regular-expressions/pattern-time-limit.js";
import { TemplatePatterns } from "../regular-expressions/template-patterns.js";
import { type ProjectProperties, projectOfTarget } from "../target/project-properties.js";
import { isProjectBinding, type TargetFiles } from "../target/target-files.js";
import { sortByDependency } from "./dependency-order.js";
import { type GeneratorContext, generate, setGuidFormats } from "./generators.js";
import { convertText, inferredValue, parameterValues } from "./parameter-values.js";
import { formatGuid, guidFormats, parseGuid, seededGuid } from "./seeded-values.js";
import { dependenciesOf } from "./symbol-dependencies.js";
import { nameForms, ValueForms } from "./value-forms.js";

const nameSymbolName = "name";

interface SymbolRequest {
  name: string;
  parameters: Readonly<Record<string, unknown>>;
  seed: string;
  now: Date;
  patternLimits?: PatternLimits | undefined;
  target?: TargetFiles;
}

/** A text in files that is replaced with a symbol's value. */
export interface TextReplacement {
  readonly from: string;
  readonly to: string;
  readonly onlyIf: readonly OnlyIf[];
}

/** Computes the values of all symbols for one render, and the texts that they replace. */
export interface SymbolTable {
  readonly variables: ReadonlyMap<string, SymbolValue>;
  readonly replacements: readonly TextReplacement[];
  readonly fileRenames: readonly TextReplacement[];
}

/** Computes every symbol's value and the texts to replace. Throws a TemplateError for an invalid parameter. */
export function resolveSymbols(config: TemplateConfig, request: SymbolRequest, report: RenderReport): SymbolTable {
  const symbols = effectiveSymbols(config);
  const parameters = symbols.filter((symbol) => symbol.type === "parameter");
  const requestValues = { ...request.parameters, [nameSymbolName]: request.name };
  const { values, given, disabled } = parameterValues(parameters, requestValues, report);
  addQuotelessLiterals(values, parameters, symbols);
  const patterns = new TemplatePatterns(new PatternTimeLimit(request.patternLimits));
  const forms = new ValueForms(config.forms, "identity", patterns);
  const context: GeneratorContext = {
    variables: values,
    // the name has its own field in the request, so coalesce does not treat it as given
    given: new Set([...given].filter((name) => name !== nameSymbolName)),
    parameterNames: new Set(parameters.map((symbol) => symbol.name)),
    seed: request.seed,
    now: request.now,
    report,
    patterns,
    project: targetProject(symbols, request.target, report),
  };
  const names = symbols.map((symbol) => symbol.name);
  for (const symbol of sortByDependency(symbols, (symbol) => dependenciesOf(symbol, names))) {
    assign(symbol, context, forms);
    setFormVariables(symbol, values, forms);
  }
  const live = symbols.filter((symbol) => !disabled.has(symbol.name));
  const guids = guidReplacements(config, context);
  return {
    variables: values,
    replacements: [
      ...live.flatMap((symbol) => replacementsOf(symbol, "replaces", { forms, values, report })),
      ...guids,
    ],
    fileRenames: live.flatMap((symbol) => replacementsOf(symbol, "fileRename", { forms, values, report })),
  };
}

/** The names that a request may set: the template's parameters, its tags and the name. */
export function parameterNames(config: TemplateConfig): string[] {
  return effectiveSymbols(config).flatMap(({ type, name }) => (type === "parameter" ? [name] : []));
}

/** The template's symbols and the ones that every template has: its name and its tags. */
function effectiveSymbols(config: TemplateConfig): TemplateSymbol[] {
  const symbols = new Map<string, TemplateSymbol>([[nameSymbolName, nameSymbol(config)]]);
  for (const [name, value] of Object.entries(config.tags)) {
    if (!symbols.has(name)) symbols.set(name, implicit(name, value));
  }
  for (const [name, symbol] of config.symbols) {
    if (name !== nameSymbolName || symbol.type !== "parameter") symbols.set(name, symbol);
  }
  return [...symbols.values()];
}

/** A template that declares the symbol `name` also defines what the symbol replaces and its forms. */
function nameSymbol(config: TemplateConfig): ParameterSymbol {
  const symbol = config.symbols.get(nameSymbolName);
  if (symbol?.type === "parameter") return { ...symbol, isRequired: false, isEnabled: true };
  return { ...implicit(nameSymbolName, null), replaces: config.sourceName, forms: nameForms };
}

function implicit(name: string, defaultValue: string | null): ParameterSymbol {
  return {
    name,
    type: "parameter",
    raw: {},
    replaces: null,
    fileRename: null,
    onlyIf: [],
    forms: ["identity"],
    datatype: "string",
    infersType: false,
    choices: [],
    defaultValue,
    defaultIfOptionWithoutValue: null,
    isRequired: false,
    isEnabled: true,
    allowMultipleValues: false,
    enableQuotelessLiterals: false,
    displayName: null,
    description: null,
  };
}

/** The choices of symbols with enableQuotelessLiterals, which conditions may use without quotes. */
function addQuotelessLiterals(
  values: Map<string, SymbolValue>,
  parameters: readonly ParameterSymbol[],
  symbols: readonly TemplateSymbol[],
): void {
  const names = new Set(symbols.map((symbol) => symbol.name));
  for (const symbol of parameters) {
    if (!symbol.enableQuotelessLiterals) continue;
    for (const { choice } of symbol.choices) if (!names.has(choice)) values.set(choice, choice);
  }
}

function assign(symbol: TemplateSymbol, context: GeneratorContext, forms: ValueForms): void {
  const value = valueOf(symbol, context, forms);
  if (value !== undefined) context.variables.set(symbol.name, value);
}

/** Conditions may use a symbol in one of its forms, for example `$(name{-VALUE-FORMS-}safe_namespace)`. */
function setFormVariables(symbol: TemplateSymbol, values: Map<string, SymbolValue>, forms: ValueForms): void {
  if (symbol.type !== "parameter" && symbol.type !== "derived") return;
  const value = values.get(symbol.name);
  if (value === undefined || value === null) return;
  for (const form of symbol.forms) {
    const text = forms.apply(form, textOf(value));
    if (text !== undefined) values.set(`${symbol.name}{-VALUE-FORMS-}${form}`, text);
  }
}

function valueOf(symbol: TemplateSymbol, context: GeneratorContext, forms: ValueForms): SymbolValue | undefined {
  switch (symbol.type) {
    case "parameter":
      return undefined;
    case "computed":
      return computed(symbol, context);
    case "derived": {
      const form = symbol.valueTransform ?? "identity";
      const source = context.variables.get(symbol.valueSource ?? "");
      if (source === undefined || source === null) return undefined;
      const value = forms.apply(form, textOf(source));
      if (value === undefined) unknownForm(context.report, symbol.name, form);
      return value;
    }
    case "generated":
      // its datatype is only a description, so a generator's text stays a text
      return generate(symbol, context);
    case "bind":
      return bound(symbol, context.project);
  }
}

function computed(symbol: ComputedSymbol, { variables, report }: GeneratorContext): boolean {
  const evaluator = evaluatorNamed(symbol.evaluator, "C++2");
  if (evaluator === undefined) {
    throw renderFailed(`The symbol "${symbol.name}" names the unknown evaluator "${symbol.evaluator}".`);
  }
  const { value, fault } = evaluatorFor(evaluator, variables)(symbol.value);
  if (fault !== null)
    report.warn("ConditionUnparseable", `The symbol "${symbol.name}" is treated as ${value}: ${fault}.`);
  return value;
}

// fixed values: a template must not see the process or the machine
const hostValues: ReadonlyMap<string, string> = new Map([["hostidentifier", "dotnetcli"]]);

/** Reads the project only when a binding needs it. */
function targetProject(
  symbols: readonly TemplateSymbol[],
  target: TargetFiles | undefined,
  report: RenderReport,
): ProjectProperties {
  const asks = symbols.some((symbol) => symbol.type === "bind" && isProjectBinding(symbol.binding));
  const project = asks && target !== undefined ? projectOfTarget(target) : undefined;
  if (project?.problem) report.warn("BindingNotRead", `No property was read from a project: ${project.problem}.`);
  return project?.properties ?? new Map();
}

function bound({ binding, defaultValue, datatype }: BindSymbol, project: ProjectProperties): SymbolValue | undefined {
  const text = (isProjectBinding(binding) ? projectValue(binding, project) : hostValue(binding ?? "")) ?? defaultValue;
  if (text === null) return undefined;
  return datatype === null ? inferredValue(text) : convertText(datatype, text);
}

function projectValue(binding: string | null, project: ProjectProperties): string | undefined {
  const name = (binding ?? "").slice((binding ?? "").indexOf(":") + 1);
  return project.get(name.trim().toLowerCase());
}

/** A binding's value. `env:` never has a value, and an unknown prefix belongs to the name. */
function hostValue(binding: string): string | undefined {
  const colon = binding.indexOf(":");
  const scheme = colon === -1 ? "" : binding.slice(0, colon).trim().toLowerCase();
  if (scheme === "env") return undefined;
  const name = scheme === "host" ? binding.slice(colon + 1) : binding;
  return hostValues.get(name.trim().toLowerCase());
}

interface ReplacementSources {
  forms: ValueForms;
  values: ReadonlyMap<string, SymbolValue>;
  report: RenderReport;
}

function replacementsOf(
  symbol: TemplateSymbol,
  kind: "replaces" | "fileRename",
  { forms, values, report }: ReplacementSources,
): TextReplacement[] {
  if (symbol.type === "computed") return [];
  const pattern = symbol[kind];
  if (pattern === null) return [];
  const onlyIf = kind === "replaces" ? symbol.onlyIf : [];
  const value = values.get(symbol.name);
  if (value === undefined || value === null) return [];
  const text = textOf(value);
  if (symbol.type === "generated" || symbol.type === "bind") return [{ from: pattern, to: text, onlyIf }];
  return symbol.forms.flatMap((form) => {
    const from = forms.apply(form, pattern);
    const to = forms.apply(form, text);
    if (from === undefined || to === undefined) unknownForm(report, symbol.name, form);
    return from === undefined || to === undefined || from === "" ? [] : [{ from, to, onlyIf }];
  });
}

function unknownForm(report: RenderReport, symbol: string, form: string): void {
  report.warn("UnknownValueForm", `The symbol "${symbol}" uses the unknown value form "${form}".`);
}

/** Replacements for each listed GUID in all its formats. */
function guidReplacements(config: TemplateConfig, { variables, seed, report }: GeneratorContext): TextReplacement[] {
  return config.guids.flatMap((text, index) => {
    const guid = parseGuid(text);
    if (guid === undefined) {
      report.warn("SchemaViolation", `The entry "${text}" of "guids" is not a valid GUID.`);
      return [];
    }
    const newGuid = seededGuid(seed, `guids/${index}`);
    setGuidFormats(variables, `guid${index}`, newGuid, null);
    return guidFormats.map((format) => ({
      from: formatGuid(guid, format),
      to: formatGuid(newGuid, format),
      onlyIf: [],
    }));
  });
}
