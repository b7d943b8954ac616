import type { ResponsePath } from "@apollo/query-planner";
import { GraphQLError, type GraphQLFormattedError, Kind } from "graphql";

const downstreamServiceError = "DOWNSTREAM_SERVICE_ERROR";
const badUserInput = "BAD_USER_INPUT";

/** A subgraph's error at its place in the response; its extensions stay. */
export function downstreamError(
  error: GraphQLError | GraphQLFormattedError,
  subgraph: string,
  path: ResponsePath | undefined,
): GraphQLError {
  return new GraphQLError(error.message || fallbackMessage(subgraph), {
    path,
    originalError: error instanceof Error ? error : undefined,
    extensions: {
      ...error.extensions,
      serviceName: subgraph,
      code: error.extensions?.["code"] ?? (isAboutVariables(error) ? badUserInput : downstreamServiceError),
    },
  });
}

/** A value that only the subgraph's own scalar refuses. graphql-js gives no code for it. */
function isAboutVariables(error: GraphQLError | GraphQLFormattedError): boolean {
  return (
    error instanceof GraphQLError &&
    error.path === undefined &&
    error.nodes?.every(({ kind }) => kind === Kind.VARIABLE_DEFINITION) === true
  );
}

/** For a fetch that rejected. The reason may name hosts or statements, so only the log may show it. */
export function failedFetch(reason: unknown, subgraph: string): GraphQLError {
  if (reason instanceof GraphQLError) {
    return downstreamError(reason, subgraph, undefined);
  }
  return new GraphQLError(fallbackMessage(subgraph), {
    originalError: reason instanceof Error ? reason : new Error(String(reason)),
    extensions: { serviceName: subgraph, code: downstreamServiceError },
  });
}

function fallbackMessage(subgraph: string): string {
  return `Error while fetching subquery from service "${subgraph}"`;
}
