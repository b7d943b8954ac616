import { type IdPrefix, idPrefixes } from "@factory/schema/id-prefixes";
import { decodeId } from "../identifiers/wire-id.js";

/** The resources whose name in subjects is not the plural for their kind. */
const otherNames: Partial<Record<IdPrefix, string>> = {
  cli: "clients",
  lib: "libraries",
  mtx: "compatibility-matrices",
  sub: "subscriptions",
  whd: "deliveries",
};

/** The resources that a name in this argument identifies, by root field. */
const namedBy: Readonly<Record<string, { readonly resource: string; readonly argument: string }>> = Object.fromEntries(
  (
    [
      ["config", "key", ["configEntry", "setConfigEntry", "deleteConfigEntry", "restoreConfigEntry"]],
      ["feature-flags", "key", ["featureFlag", "setFeatureFlag", "deleteFeatureFlag", "restoreFeatureFlag"]],
      ["editions", "code", ["edition", "updateEdition", "revertEdition", "retireEdition"]],
    ] as const
  ).flatMap(([resource, argument, fields]) => fields.map((field) => [field, { resource, argument }])),
);

/** The names that such resources can have. A refused request may contain any text. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * A root field's subject `<resource>/<id>`: the resource that its arguments name, or the first wire ID among them;
 * undefined when they have none.
 */
export function namedSubject(field: string, fieldArguments: unknown): string | undefined {
  if (typeof fieldArguments !== "object" || fieldArguments === null) return undefined;
  const argumentName = Object.hasOwn(namedBy, field) ? namedBy[field] : undefined;
  if (argumentName) {
    const name = (fieldArguments as Record<string, unknown>)[argumentName.argument];
    return typeof name === "string" && nameForm.test(name) ? `${argumentName.resource}/${name}` : undefined;
  }
  for (const value of Object.values(fieldArguments)) {
    if (typeof value !== "string") continue;
    const prefix = value.slice(0, 3) as IdPrefix;
    if (Object.hasOwn(idPrefixes, prefix) && decodeId(prefix, value) !== undefined)
      return `${otherNames[prefix] ?? `${idPrefixes[prefix].replaceAll(" ", "-")}s`}/${value}`;
  }
  return undefined;
}
