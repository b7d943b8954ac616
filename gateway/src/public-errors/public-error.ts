import type { Logger } from "@factory/runtime/telemetry/logger";
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, Kind } from "graphql";
import { tooManyTokens } from "../limits/document-limits.js";
import { withAllowedValues } from "./allowed-values.js";
import { withoutCallerValues } from "./caller-values.js";
import { withoutSchemaNames } from "./schema-names.js";

/** Maps the error codes that Apollo and graphql-js use to the platform's codes. */
const foreignCodes: Record<string, string | undefined> = {
  GRAPHQL_PARSE_FAILED: "VALIDATION_FAILED",
  GRAPHQL_VALIDATION_FAILED: "VALIDATION_FAILED",
  BAD_USER_INPUT: "VALIDATION_FAILED",
  BAD_REQUEST: "VALIDATION_FAILED",
  OPERATION_RESOLUTION_FAILURE: "VALIDATION_FAILED",
  PERSISTED_QUERY_NOT_SUPPORTED: "PERSISTED_QUERY_NOT_FOUND",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
  INTERNAL_SERVER_ERROR: "INTERNAL",
};

/** Public messages for codes whose original messages may contain SQL statements, paths and addresses. */
const hidden: Record<string, string | undefined> = {
  INTERNAL: "An internal error occurred.",
  UPSTREAM_FAILED: "A service that this operation needs has failed. Try again later.",
};

type PublicError = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/**
 * Converts an error to its public form for HTTP and websocket. The public form has a platform error code and hides a
 * bug's cause.
 */
export function publicErrors(options: {
  logger: Logger;
  schemaDetails: boolean;
  graphs: { readonly current: { readonly apiSchema: GraphQLSchema } };
}): PublicError {
  return (formattedError, error) => {
    const { extensions = {} } = formattedError;
    const code = closedCode(extensions, error);
    const message = hidden[code];
    if (message === undefined) {
      // A platform error already has its code. A graphql-js message may contain the caller's values and schema names.
      const isOfGraphql = code === "VALIDATION_FAILED" && extensions["code"] !== code;
      const valueless = isOfGraphql
        ? withAllowedValues(withoutCallerValues(formattedError.message), options.graphs.current.apiSchema)
        : formattedError.message;
      const text = isOfGraphql && !options.schemaDetails ? withoutSchemaNames(valueless) : valueless;
      return { ...formattedError, message: text, extensions: { ...extensions, code } };
    }
    const { traceId, serviceName } = extensions;
    // A subgraph that sets traceId has already logged the cause.
    if (traceId === undefined)
      options.logger.error(
        { err: originOf(error), code },
        "a GraphQL operation was answered as INTERNAL because of a bug",
      );
    const definedFacts = Object.entries({ traceId, serviceName }).filter(([, value]) => value !== undefined);
    return { ...formattedError, message, extensions: { ...Object.fromEntries(definedFacts), code } };
  };
}

function closedCode(extensions: Readonly<Record<string, unknown>>, error: unknown): string {
  if (error instanceof GraphQLError && tooManyTokens.test(error.message)) return "TOO_COMPLEX";
  if (isAboutRequest(error)) return "VALIDATION_FAILED";
  const { code } = extensions;
  return typeof code === "string" ? (foreignCodes[code] ?? code) : "INTERNAL";
}

/**
 * Whether graphql-js refused the document or its variables. In that case no field has run, and the error has no code.
 */
function isAboutRequest(error: unknown): boolean {
  return (
    error instanceof GraphQLError &&
    error.extensions["code"] === undefined &&
    error.path === undefined &&
    (error.originalError === undefined || error.nodes?.every(({ kind }) => kind === Kind.VARIABLE_DEFINITION) === true)
  );
}

const originOf = (error: unknown) => (error instanceof GraphQLError ? (error.originalError ?? error) : error);
