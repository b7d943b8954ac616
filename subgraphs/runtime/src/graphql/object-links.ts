import {
  type GraphQLFieldResolver,
  type GraphQLInterfaceType,
  GraphQLList,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from "graphql";
import type { RequestContext } from "../tenancy/request-context.js";
import type { EntityReference } from "./entity-reference.js";
import { NodeTypes } from "./node-types.js";

/** A field with an id, such as `Run.connectionId`, and what the id names. */
export type ObjectLinks = Readonly<Record<`${string}.${string}`, ObjectLink | NoObjectLink>>;

interface ObjectLink {
  /** The object's type. */
  readonly to: string;
  /** The object's field beside the id. Absent: the id's field without `Id`. */
  readonly as?: string;
  readonly description?: string;
}

interface NoObjectLink {
  readonly to: null;
  readonly why: string;
}

type References = Readonly<Record<string, EntityReference>>;
type LinkResolver = GraphQLFieldResolver<Record<string, unknown>, RequestContext>;
type Resolve = (id: string, context: RequestContext) => Promise<object | null>;

/**
 * Gives each declared field with an id a field with the object beside it. The object's own rule decides who may read it:
 * it is null with an error for a caller without the scope, and null alone where it is gone or belongs to another tenant.
 */
export function addObjectLinks(schema: GraphQLSchema, links: ObjectLinks, references: References): void {
  const ownTypes = new NodeTypes();
  ownTypes.add(references);
  for (const [place, link] of Object.entries(links)) {
    if (link.to === null) continue;
    const [typeName = "", idField = ""] = place.split(".");
    const target = outputType(schema, link.to);
    const type = outputType(schema, typeName);
    const idType = type.getFields()[idField]?.type;
    if (!idType) throw new Error(`The schema lacks the field ${place}, which names an object.`);
    const name = link.as ?? idField.replace(/Id(s?)$/, "$1");
    if (type.getFields()[name]) throw new Error(`The type ${typeName} has the field ${name} already.`);
    const isForeign = isObjectType(target) && !references[link.to];
    const resolve = isForeign ? foreignObject(target) : ownObject(ownTypes, target);
    type.getFields()[name] = {
      ...{ name, args: [], deprecationReason: undefined, extensions: {}, astNode: undefined },
      description: link.description ?? `The object with \`${idField}\`. Null where it is gone.`,
      type: isListType(getNullableType(idType)) ? new GraphQLList(target) : target,
      resolve: linkResolver(idField, resolve),
    };
  }
}

function outputType(schema: GraphQLSchema, name: string): GraphQLObjectType | GraphQLInterfaceType {
  const type = schema.getType(name);
  if (isObjectType(type) || isInterfaceType(type)) return type;
  throw new Error(`The schema has no object type ${name}. Another subgraph's type needs a foreign entity.`);
}

function linkResolver(idField: string, resolve: Resolve): LinkResolver {
  return (source, _, context) => {
    const value = source[idField];
    if (Array.isArray(value)) return Promise.all(value.map((id: string) => resolve(id, context)));
    return value == null ? null : resolve(value as string, context);
  };
}

/** Another subgraph's object is its key here, and the gateway asks that subgraph for the rest. */
function foreignObject(target: GraphQLObjectType): Resolve {
  const keyField = Object.keys(target.getFields()).find((name) => name !== "id") ?? "id";
  return async (id) => ({ [keyField]: id });
}

function ownObject(ownTypes: NodeTypes, target: GraphQLObjectType | GraphQLInterfaceType): Resolve {
  return async (id, context) => {
    const node = await ownTypes.read(id, context);
    if (!node || (isObjectType(target) && node.type !== target.name)) return null;
    return { ...node.object, __typename: node.type };
  };
}
