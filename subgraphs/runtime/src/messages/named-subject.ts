import { type IdPrefix, idPrefixes } from "@factory/schema/id-prefixes";
import { decodeId } from "../identifiers/wire-id.js";

/** The resources whose name in subjects is not the plural of their kind. */
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
      ["config", "key", ["configEntry", "setConfiguration", "deleteConfiguration", "restoreConfiguration"]],
      ["feature-flags", "key", ["featureFlag", "setFeatureFlag", "deleteFeatureFlag", "restoreFeatureFlag"]],
      ["editions", "code", ["edition", "updateEdition", "revertEdition", "retireEdition"]],
    ] as const
  ).flatMap(([resource, argument, fields]) => fields.map((field) => [field, { resource, argument }])),
);

/** The names that such resources can have. A refused request may contain any text. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * The subject `<resource>/<id>` of a root field: the resource that its arguments name, or the first wire ID among them;
 * undefined when they have none.
 */
export function namedSubject(field: string, given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const named = Object.hasOwn(namedBy, field) ? namedBy[field] : undefined;
  if (named) {
    const name = (given as Record<string, unknown>)[named.argument];
    return typeof name === "string" && nameForm.test(name) ? `${named.resource}/${name}` : undefined;
  }
  for (const value of Object.values(given)) {
    if (typeof value !== "string") continue;
    const prefix = value.slice(0, 3) as IdPrefix;
    if (Object.hasOwn(idPrefixes, prefix) && decodeId(prefix, value) !== undefined)
      return `${otherNames[prefix] ?? `${idPrefixes[prefix].replaceAll(" ", "-")}s`}/${value}`;
  }
  return undefined;
}
