import type { DocumentNode, ExecutionResult } from "graphql";

export interface SubgraphRequest<C> {
  document: DocumentNode;
  variables: Record<string, unknown>;
  context: C;
}

/** One planned operation for a subgraph. The caller changes the results, so each call must return a new object. */
export interface PreparedFetch<C> {
  run(variables: Record<string, unknown>, context: C): Promise<ExecutionResult> | ExecutionResult;
  /** Opens a subscription. Only `answer` can read its events. Many subscribers may receive the same object. */
  subscribe?(
    variables: Record<string, unknown>,
    context: C,
  ): Promise<AsyncIterable<unknown> | ExecutionResult> | AsyncIterable<unknown> | ExecutionResult;
  /** Executes the subscription's operation for one event. */
  answer?(event: unknown, variables: Record<string, unknown>, context: C): Promise<ExecutionResult> | ExecutionResult;
}

/** A subgraph from the executor's view, in this process or elsewhere. */
export interface Subgraph<C> {
  readonly name: string;
  /** True when a GraphQL executor in this process makes the results. Their shape then needs no second check. */
  readonly conforms?: boolean;
  prepare(operationText: string, operationName: string | undefined): PreparedFetch<C>;
}
