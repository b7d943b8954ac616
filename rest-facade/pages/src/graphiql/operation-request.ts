import { Kind, type OperationDefinitionNode, parse } from "graphql";

/** The parameters of one operation, as GraphiQL hands them to a fetcher. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: unknown;
}

/**
 * The operation of the document that the request names, or the only one. GraphiQL reads a changed document 100 ms later,
 * so that a name from before can come with it. Undefined for a document with a syntax error, which the server explains.
 */
export function requestedOperation({ query, operationName }: OperationRequest): OperationDefinitionNode | undefined {
  const operations = operationsOf(query);
  const namedOperation = operations.find(({ name }) => name?.value === operationName);
  return namedOperation ?? (operations.length === 1 ? operations[0] : undefined);
}

function operationsOf(query: string): readonly OperationDefinitionNode[] {
  try {
    const { definitions } = parse(query, { noLocation: true });
    return definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  } catch {
    return [];
  }
}
