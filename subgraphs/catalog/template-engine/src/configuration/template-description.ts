import { parameterAliases } from "./host-data.js";
import { type LocalizedTexts, localizedTexts, readLocalizations } from "./localization.js";
import type { ParameterDatatype, ParameterSymbol } from "./template-config.js";
import type { TemplatePack } from "./template-pack.js";

interface ChoiceDescription {
  readonly choice: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

interface ParameterDescription {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly datatype: ParameterDatatype;
  readonly defaultValue: string | null;
  /** False when a condition decides whether the parameter is required. */
  readonly required: boolean;
  readonly allowMultipleValues: boolean;
  /** The parameter's other names. */
  readonly aliases: readonly string[];
  readonly hidden: boolean;
  readonly choices: readonly ChoiceDescription[];
}

/** A template's texts and parameters, as a user sees them. */
interface TemplateDescription {
  readonly identity: string | null;
  readonly groupIdentity: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly author: string | null;
  readonly shortNames: readonly string[];
  readonly classifications: readonly string[];
  readonly language: string | null;
  readonly type: string | null;
  readonly parameters: readonly ParameterDescription[];
}

/** A template's description with its localized texts by culture. */
export interface TemplateTexts {
  readonly description: TemplateDescription;
  readonly localizations: Readonly<Record<string, LocalizedTexts>>;
}

/** Describes a template in its template.json's language. */
export function describeTemplate(pack: TemplatePack): TemplateTexts {
  const { config, host } = pack;
  const aliases = [...parameterAliases(config, host)];
  const parameters = [...config.symbols.values()].flatMap((symbol) => {
    if (symbol.type !== "parameter") return [];
    const others = aliases.flatMap(([alias, name]) => (name === symbol.name ? [alias] : []));
    return [parameterDescription(symbol, others, host.symbols.get(symbol.name)?.isHidden ?? false)];
  });
  return {
    description: {
      identity: config.identity,
      groupIdentity: config.groupIdentity,
      name: config.name,
      description: config.description,
      author: config.author,
      shortNames: config.shortNames,
      classifications: config.classifications,
      language: config.tags["language"] ?? null,
      type: config.tags["type"] ?? null,
      parameters,
    },
    localizations: Object.fromEntries(readLocalizations(pack.files)),
  };
}

function parameterDescription(
  symbol: ParameterSymbol,
  aliases: readonly string[],
  hidden: boolean,
): ParameterDescription {
  const { name, displayName, description, datatype, defaultValue, allowMultipleValues, choices } = symbol;
  const isRequired = symbol.isRequired === true;
  return {
    name,
    displayName,
    description,
    datatype,
    defaultValue,
    required: isRequired,
    allowMultipleValues,
    aliases,
    hidden,
    choices,
  };
}

/** The description with the nearest culture's texts. Missing texts come from template.json. */
export function localizedDescription(
  { description, localizations }: TemplateTexts,
  chain: readonly string[],
): { description: TemplateDescription; culture: string | null } {
  const match = localizedTexts(localizations, chain);
  if (match === undefined) return { description, culture: null };
  const { texts, culture } = match;
  return {
    description: {
      ...description,
      name: texts["name"] ?? description.name,
      description: texts["description"] ?? description.description,
      author: texts["author"] ?? description.author,
      parameters: description.parameters.map((parameter) => localizedParameter(parameter, texts)),
    },
    culture,
  };
}

function localizedParameter(parameter: ParameterDescription, texts: LocalizedTexts): ParameterDescription {
  const key = `symbols/${parameter.name}`;
  return {
    ...parameter,
    ...namesAt(parameter, texts, key),
    choices: parameter.choices.map((choice) => ({
      ...choice,
      ...namesAt(choice, texts, `${key}/choices/${choice.choice}`),
    })),
  };
}

function namesAt(
  { displayName, description }: Pick<ChoiceDescription, "displayName" | "description">,
  texts: LocalizedTexts,
  key: string,
): Pick<ChoiceDescription, "displayName" | "description"> {
  return {
    displayName: texts[`${key}/displayName`] ?? displayName,
    description: texts[`${key}/description`] ?? description,
  };
}
