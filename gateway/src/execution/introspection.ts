import {
  type ASTNode,
  executeSync,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from "graphql";
import { type Fields, ownValue } from "../query-planner/own-property.js";
import type { Fragments } from "../query-planner/selection.js";

interface IntrospectedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
}

/** Answers one `__schema` or `__type` field from the API schema. Subgraphs never receive these fields. */
export function introspect(
  { schema, operation, fragments }: IntrospectedOperation,
  nodes: readonly FieldNode[],
  providedValues: Readonly<Fields>,
): unknown {
  const usedNames = usedVariables([...nodes, ...fragments.values()]);
  const definitions = operation.variableDefinitions?.filter(({ variable }) => usedNames.has(variable.name.value));
  const { data, errors } = executeSync({
    schema,
    document: {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: OperationTypeNode.QUERY,
          variableDefinitions: definitions ?? [],
          selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
        },
        ...fragments.values(),
      ],
    },
    variableValues: providedValues,
  });
  const [first] = nodes;
  if (!data || !first) {
    throw errors?.[0] ?? new GraphQLError("The introspection returned no data");
  }
  return ownValue(data, first.alias?.value ?? first.name.value) ?? null;
}

function usedVariables(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodes) {
    visit(node, {
      Variable(variable) {
        names.add(variable.name.value);
      },
    });
  }
  return names;
}
