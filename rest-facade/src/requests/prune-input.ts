import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";

type Prune = (value: unknown) => unknown;

interface Member {
  readonly name: string;
  readonly prune: Prune;
  readonly keepsNull: boolean;
}

/**
 * Compiles a function that keeps the members which an input type declares. It drops unknown members, and null members
 * unless their type is the scalar JSON, to which null is a value. Scalar values stay whole.
 */
export function pruneInput(type: GraphQLInputType, compiledTypes = new Map<GraphQLInputType, Prune>()): Prune {
  if (isNonNullType(type)) return pruneInput(type.ofType, compiledTypes);
  if (isListType(type)) return pruneList(pruneInput(type.ofType, compiledTypes));
  if (!isInputObjectType(type)) return (value) => value;
  const compiledPrune = compiledTypes.get(type);
  if (compiledPrune) return compiledPrune;
  const fields: Member[] = [];
  // registered before its fields are compiled, since an input type may contain itself
  const prune = pruneObject(fields);
  compiledTypes.set(type, prune);
  for (const { name, type: ofField } of Object.values(type.getFields()))
    fields.push({ name, prune: pruneInput(ofField, compiledTypes), keepsNull: String(ofField) === "JSON" });
  return prune;
}

/**
 * Like `pruneInput`, but a null member in the input itself stays, because in a PATCH it removes a value while an absent
 * member changes nothing. Nested objects are replaced as a whole, so in them null counts as absent.
 */
export function pruneChange(type: GraphQLInputObjectType): Prune {
  const compiledTypes = new Map<GraphQLInputType, Prune>();
  const fields = Object.values(type.getFields());
  return pruneObject(
    fields.map(({ name, type: of }) => ({ name, prune: pruneInput(of, compiledTypes), keepsNull: true })),
  );
}

const pruneList =
  (prune: Prune): Prune =>
  (value) =>
    Array.isArray(value) ? value.map((item) => prune(item)) : value;

const pruneObject =
  (fields: readonly Member[]): Prune =>
  (value) => {
    if (typeof value !== "object" || value === null) return value;
    const members: Record<string, unknown> = value as Record<string, unknown>;
    const keptMembers: Record<string, unknown> = {};
    for (const { name, prune, keepsNull } of fields) {
      if (Object.hasOwn(members, name) && (keepsNull || members[name] !== null))
        keptMembers[name] = prune(members[name]);
    }
    return keptMembers;
  };
