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

/** The subject `<resource>/<id>` of the first wire ID among the arguments; undefined when they have none. */
export function namedSubject(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  for (const value of Object.values(given)) {
    if (typeof value !== "string") continue;
    const prefix = value.slice(0, 3) as IdPrefix;
    if (Object.hasOwn(idPrefixes, prefix) && decodeId(prefix, value) !== undefined)
      return `${otherNames[prefix] ?? `${idPrefixes[prefix].replaceAll(" ", "-")}s`}/${value}`;
  }
  return undefined;
}
