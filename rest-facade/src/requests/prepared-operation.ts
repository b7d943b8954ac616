import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLError } from "graphql";

/** A GraphQL operation's answer (GraphQL specification, section 7.1). */
export interface OperationResult {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLError[];
  /** `valueCompletion`: nulls where the graph allows none, although no fetch failed. */
  extensions?: Record<string, unknown>;
}

/** An operation that was validated and planned at start, so that a request only runs it. */
export interface PreparedOperation {
  run(variables: Record<string, unknown>, context: RequestContext): Promise<OperationResult>;
}

/** Prepares a route's document. Throws when it does not fit the graph: then the start fails. */
export type PrepareOperation = (document: string, operationName: string) => PreparedOperation;
