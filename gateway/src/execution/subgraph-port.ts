import type { DocumentNode, ExecutionResult } from "graphql";

export interface SubgraphRequest<C> {
  document: DocumentNode;
  variables: Record<string, unknown>;
  context: C;
}

/** One planned operation of a subgraph. The caller owns every result it gets and changes it: never hand one out twice. */
export interface PreparedFetch<C> {
  run(variables: Record<string, unknown>, context: C): Promise<ExecutionResult> | ExecutionResult;
  subscribe?(
    variables: Record<string, unknown>,
    context: C,
  ): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> | AsyncIterable<ExecutionResult> | ExecutionResult;
}

/** What the executor needs of a subgraph, wherever it runs. */
export interface Subgraph<C> {
  readonly name: string;
  /** True when results come straight from a GraphQL executor in this process, so that their shape needs no second check. */
  readonly conforms?: boolean;
  prepare(operationText: string, operationName: string | undefined): PreparedFetch<C>;
}
