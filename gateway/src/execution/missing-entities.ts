import { type ConstDirectiveNode, type GraphQLSchema, isEnumType, isObjectType, Kind } from "graphql";
import type { Fields } from "../query-planner/own-property.js";

/** Marks an object that does not exist, although a subgraph has named its key. The client gets null. */
const missing = Symbol("missing entity");

export const markMissing = (entity: Fields): void => {
  (entity as { [missing]?: true })[missing] = true;
};

export const isMissing = (entity: Fields): boolean => missing in entity;

const ownersBySchema = new WeakMap<GraphQLSchema, ReadonlyMap<string, string>>();

/**
 * The subgraph of each type that one subgraph alone can resolve by a key. Others have such an object's key and nothing
 * else, so an object that its subgraph does not return does not exist for the caller. An object of another type may
 * have fields in several subgraphs, so its fields are null one by one, as in Apollo's gateway.
 */
export function soleOwners(supergraphSchema: GraphQLSchema): ReadonlyMap<string, string> {
  const cachedOwners = ownersBySchema.get(supergraphSchema);
  if (cachedOwners) return cachedOwners;
  const names = subgraphNames(supergraphSchema);
  const soleOwnerOf = new Map<string, string>();
  for (const type of Object.values(supergraphSchema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const joins = (type.astNode?.directives ?? []).filter(({ name }) => name.value === "join__type");
    const owners = new Set(joins.filter((join) => argumentOf(join, "resolvable") !== "false").map(graphOf));
    const references = new Set(joins.map(graphOf).filter((graph) => !owners.has(graph)));
    const [owner] = owners;
    if (owners.size === 1 && references.size > 0 && owner !== undefined)
      soleOwnerOf.set(type.name, names.get(owner) ?? owner);
  }
  ownersBySchema.set(supergraphSchema, soleOwnerOf);
  return soleOwnerOf;
}

const graphOf = (join: ConstDirectiveNode) => argumentOf(join, "graph");

/** The subgraphs' names by their enum values. */
function subgraphNames(supergraphSchema: GraphQLSchema): ReadonlyMap<string, string> {
  const graphs = supergraphSchema.getType("join__Graph");
  const values = isEnumType(graphs) ? graphs.getValues() : [];
  return new Map(
    values.flatMap(({ name, astNode }) => {
      const join = astNode?.directives?.find((directive) => directive.name.value === "join__graph");
      return join ? [[name, argumentOf(join, "name") ?? name] as const] : [];
    }),
  );
}

function argumentOf({ arguments: values = [] }: ConstDirectiveNode, name: string): string | undefined {
  const value = values.find((argument) => argument.name.value === name)?.value;
  if (value?.kind === Kind.BOOLEAN) return String(value.value);
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}
