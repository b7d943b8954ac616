import type { FetchNode } from "@apollo/query-planner";
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from "graphql";

interface FetchDocument {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

export function fetchDocument(node: FetchNode): FetchDocument {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let operation: OperationDefinitionNode | undefined;
  for (const definition of parse(node.operation, { noLocation: true }).definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    } else if (definition.kind === Kind.OPERATION_DEFINITION) {
      operation = definition;
    }
  }
  if (!operation) {
    throw new Error(`The planned fetch from "${node.serviceName}" holds no operation`);
  }
  return { operation, fragments };
}
