import type { ResponsePath } from "@apollo/query-planner";
import { GraphQLError, type GraphQLFormattedError, Kind } from "graphql";

const downstreamServiceError = "DOWNSTREAM_SERVICE_ERROR";
const badUserInput = "BAD_USER_INPUT";

/** Copies a subgraph's error to its path in the response, with its extensions. */
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

/** Whether a variable was refused by a custom scalar in the subgraph. graphql-js sets no code for such an error. */
function isAboutVariables(error: GraphQLError | GraphQLFormattedError): boolean {
  return (
    error instanceof GraphQLError &&
    error.path === undefined &&
    error.nodes?.every(({ kind }) => kind === Kind.VARIABLE_DEFINITION) === true
  );
}

/** The error for a fetch that rejected. The reason may contain host names or SQL, so only the log may show it. */
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
