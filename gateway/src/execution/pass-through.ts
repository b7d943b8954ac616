import type { FetchNode, QueryPlan } from "@apollo/query-planner";
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  type SelectionSetNode,
} from "graphql";
import { collectFields, type Fragments, innerSelections } from "../query-planner/selection.js";
import { fetchDocument } from "./fetch-document.js";

interface ClientSelection {
  readonly schema: GraphQLSchema;
  readonly supergraphSchema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly rootType: GraphQLObjectType;
  readonly selectionSet: SelectionSetNode;
}

/** The only fetch in a plan that consists of exactly one, or undefined for any other plan. */
export function onlyFetch(plan: QueryPlan): FetchNode | undefined {
  const node = plan.node;
  if (node?.kind === "Subscription") {
    return node.rest ? undefined : node.primary;
  }
  return node?.kind === "Fetch" ? node : undefined;
}

/**
 * Whether the subgraph's data already is the response: it has the same keys in the same order at every level, only
 * concrete types, and no hidden elements. Composition makes a subgraph's output types at least as strict, so
 * nullability holds. This is correct only for a conforming executor and for operations without @skip and @include.
 */
export function isPassThrough(fetch: FetchNode, client: ClientSelection): boolean {
  if (fetch.requires || fetch.outputRewrites?.length) {
    return false;
  }
  const { operation, fragments } = fetchDocument(fetch);
  return sameFields(client, fragments, client.rootType, [[client.selectionSet], [operation.selectionSet]]);
}

function sameFields(
  client: ClientSelection,
  fetchFragments: Fragments,
  type: GraphQLObjectType,
  [clientSets, fetchedSets]: readonly [SelectionSetNode[], SelectionSetNode[]],
): boolean {
  const { schema, fragments } = client;
  const askedFields = [...collectFields({ schema, fragments, variables: {} }, type, clientSets)];
  const fetchedFields = [...collectFields({ schema, fragments: fetchFragments, variables: {} }, type, fetchedSets)];
  return (
    askedFields.length === fetchedFields.length &&
    askedFields.every(([key, askedNodes], index) => {
      const [fetchedKey, fetchedNodes] = fetchedFields[index] ?? ["", []];
      const name = askedNodes[0]?.name.value ?? "";
      if (key !== fetchedKey || fetchedNodes[0]?.name.value !== name) {
        return false;
      }
      if (name === "__typename") {
        return !isRootType(schema, type);
      }
      const definition = type.getFields()[name];
      const inner = definition && getNamedType(definition.type);
      if (isObjectType(inner)) {
        const sets = [innerSelections(askedNodes), innerSelections(fetchedNodes)] as const;
        return !isRootType(schema, inner) && sameFields(client, fetchFragments, inner, sets);
      }
      return isLeafType(inner) && !hidesValues(client, inner.name);
    })
  );
}

/** Whether the type is a root type. Names do not matter, because a subgraph may give its root types other names. */
function isRootType(schema: GraphQLSchema, type: GraphQLObjectType): boolean {
  return type === schema.getQueryType() || type === schema.getMutationType() || type === schema.getSubscriptionType();
}

function hidesValues(client: ClientSelection, typeName: string): boolean {
  const clientType = client.schema.getType(typeName);
  const whole = client.supergraphSchema.getType(typeName);
  return isEnumType(clientType) && (!isEnumType(whole) || whole.getValues().length !== clientType.getValues().length);
}
