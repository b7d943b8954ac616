import type { DocumentNode, ExecutionResult } from "graphql";

export interface SubgraphRequest<C> {
  document: DocumentNode;
  variables: Record<string, unknown>;
  context: C;
}

/** One planned operation of a subgraph. The caller owns every result it gets and changes it: never hand one out twice. */
export interface PreparedFetch<C> {
  run(variables: Record<string, unknown>, context: C): Promise<ExecutionResult> | ExecutionResult;
  /** Opens a subscription. Its events mean nothing until `answer`; one object may be handed to many subscribers. */
  subscribe?(
    variables: Record<string, unknown>,
    context: C,
  ): Promise<AsyncIterable<unknown> | ExecutionResult> | AsyncIterable<unknown> | ExecutionResult;
  /** The answer of the subscription's operation to one of its events. */
  answer?(event: unknown, variables: Record<string, unknown>, context: C): Promise<ExecutionResult> | ExecutionResult;
}

/** A subgraph as the executor sees it, in this process or elsewhere. */
export interface Subgraph<C> {
  readonly name: string;
  /** True when results come straight from a GraphQL executor in this process, so that their shape needs no second check. */
  readonly conforms?: boolean;
  prepare(operationText: string, operationName: string | undefined): PreparedFetch<C>;
}
