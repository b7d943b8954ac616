import { readFileSync } from "node:fs";
import {
  buildASTSchema,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from "graphql";
import type { Area } from "../routes/route.js";
import { withFragments } from "./fragments.js";

/** A route's document: one operation with one root field, whose selection set is the response body. */
export interface Operation {
  readonly name: string;
  readonly text: string;
  readonly definition: OperationDefinitionNode;
  readonly root: FieldNode;
}

/** Beside the sources, since `dist` does not hold the documents. */
export const operationsFolder = new URL("../../src/operations/", import.meta.url);

/** Reads and checks a row's document. Throws when it does not hold exactly one operation with that name. */
export function loadOperation(area: Area, name: string): Operation {
  const { definitions } = parse(readFileSync(new URL(`${area}/${name}.graphql`, operationsFolder), "utf8"), {
    noLocation: true,
  });
  const [writtenOperation, ...others] = definitions;
  if (writtenOperation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0)
    throw new Error(`${area}/${name}.graphql must hold exactly one operation`);
  const definition = { ...writtenOperation, selectionSet: withFragments(writtenOperation.selectionSet) };
  const [root, ...more] = definition.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || more.length > 0 || root.name.value !== name || definition.name?.value !== name)
    throw new Error(`${area}/${name}.graphql must be named ${name} and have the one root field ${name}`);
  return { name, text: print(definition), definition, root };
}

/** Whether the answer is a list: it has the member `items`. */
export const isList = ({ root }: Operation): boolean =>
  root.selectionSet?.selections.some(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === "items",
  ) ?? false;

/** Builds the supergraph's schema without validating it again: composition has done that. */
export const readGraph = (supergraphSdl: string): GraphQLSchema =>
  buildASTSchema(parse(supergraphSdl, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });

/** The definition behind the one root field that an operation selects. */
export function rootFieldOf(graph: GraphQLSchema, operation: Operation): GraphQLField<unknown, unknown> {
  const field = graph.getRootType(operation.definition.operation)?.getFields()[operation.name];
  if (!field) throw new Error(`The graph has no ${operation.definition.operation} field ${operation.name}`);
  return field;
}
