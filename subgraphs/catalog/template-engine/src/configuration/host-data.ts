import type { JsonObject } from "../json/json-value.js";
import { isJsonObject } from "../json/json-value.js";
import { booleanMember, objectMember, stringMember, stringsMember } from "../json/jsonc.js";
import type { TemplateConfig } from "./template-config.js";

/** The content of `.template.config/dotnetcli.host.json`: the option names that dotnet new makes for parameters. */
export interface HostData {
  readonly isHidden: boolean;
  readonly usageExamples: readonly string[];
  readonly symbols: ReadonlyMap<string, HostSymbol>;
}

interface HostSymbol {
  readonly isHidden: boolean;
  readonly longName: string | null;
  readonly shortName: string | null;
}

export const noHostData: HostData = { isHidden: false, usageExamples: [], symbols: new Map() };

export function readHostData(raw: JsonObject): HostData {
  const symbols = new Map<string, HostSymbol>();
  for (const [name, info] of Object.entries(objectMember(raw, "symbolInfo") ?? {})) {
    if (!isJsonObject(info)) continue;
    symbols.set(name, {
      isHidden: booleanMember(info, "isHidden"),
      longName: stringMember(info, "longName")?.trim() || null,
      shortName: stringMember(info, "shortName")?.trim() || null,
    });
  }
  return {
    isHidden: booleanMember(raw, "isHidden"),
    usageExamples: stringsMember(raw, "usageExamples") ?? [],
    symbols,
  };
}

/**
 * A map from each alias to its parameter. A parameter's name is never another one's alias. When two parameters
 * have the same alias, the first gets it and the second gets it with a prefix, as in dotnet new.
 */
export function parameterAliases(config: TemplateConfig, host: HostData): ReadonlyMap<string, string> {
  const parameters = [...config.symbols.values()].filter(({ type }) => type === "parameter").map(({ name }) => name);
  const names = new Set([...parameters, "name"]);
  const aliases = new Map<string, string>();
  for (const parameter of parameters) {
    const { longName = null, shortName = null } = host.symbols.get(parameter) ?? {};
    for (const [alias, prefix] of [
      [longName, "param:"],
      [shortName, "p:"],
    ] as const) {
      if (alias === null || alias === parameter) continue;
      const free = [alias, `${prefix}${alias}`].find((name) => !names.has(name));
      if (free === undefined) continue;
      names.add(free);
      aliases.set(free, parameter);
    }
  }
  return aliases;
}

type CanonicalParameters =
  | { readonly parameters: Record<string, unknown>; readonly repeated: null }
  /** Set when one parameter is given under two names. */
  | { readonly parameters: null; readonly repeated: { readonly name: string; readonly alias: string } };

/** Replaces aliases with their parameters' names. */
export function withoutAliases(
  values: Readonly<Record<string, unknown>>,
  aliases: ReadonlyMap<string, string>,
): CanonicalParameters {
  const parameters: Record<string, unknown> = {};
  for (const [alias, value] of Object.entries(values)) {
    const name = aliases.get(alias) ?? alias;
    if (Object.hasOwn(parameters, name) || (name !== alias && Object.hasOwn(values, name)))
      return { parameters: null, repeated: { name, alias } };
    parameters[name] = value;
  }
  return { parameters, repeated: null };
}
