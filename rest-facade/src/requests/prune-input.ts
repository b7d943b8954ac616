import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from "graphql";

export type Prune = (value: unknown) => unknown;

/** Compiles a function that keeps the members which an input type declares. It drops unknown and null members, and keeps scalar values whole. */
export function pruneInput(type: GraphQLInputType, known = new Map<GraphQLInputType, Prune>()): Prune {
  if (isNonNullType(type)) return pruneInput(type.ofType, known);
  if (isListType(type)) return pruneList(pruneInput(type.ofType, known));
  if (!isInputObjectType(type)) return (value) => value;
  const compiled = known.get(type);
  if (compiled) return compiled;
  const fields: [string, Prune][] = [];
  // registered before its fields are compiled, since an input type may contain itself
  const prune = pruneObject(fields);
  known.set(type, prune);
  for (const field of Object.values(type.getFields())) fields.push([field.name, pruneInput(field.type, known)]);
  return prune;
}

const pruneList =
  (prune: Prune): Prune =>
  (value) =>
    Array.isArray(value) ? value.map((item) => prune(item)) : value;

const pruneObject =
  (fields: readonly [string, Prune][]): Prune =>
  (value) => {
    if (typeof value !== "object" || value === null) return value;
    const members: Record<string, unknown> = value as Record<string, unknown>;
    const kept: Record<string, unknown> = {};
    for (const [name, prune] of fields) {
      if (Object.hasOwn(members, name) && members[name] !== null) kept[name] = prune(members[name]);
    }
    return kept;
  };
