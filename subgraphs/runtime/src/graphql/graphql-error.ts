import { errorCodes } from "@factory/schema/error-codes";
import { GraphQLError } from "graphql";
import { DomainError } from "../errors/domain-error.js";
import { outageRefusal } from "../errors/unavailable.js";
import type { RequestContext } from "../tenancy/request-context.js";

/** A refusal keeps its code and facts; a bug keeps its cause for the log and shows nothing. */
export function toGraphqlError(error: unknown, context: RequestContext): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const { traceId } = context.trace;
  const refusal = outageRefusal(error) ?? error;
  if (refusal instanceof DomainError) {
    const { detail, ...facts } = refusal.facts;
    const { status, title } = errorCodes[refusal.code];
    return new GraphQLError(detail ?? title, { extensions: { ...facts, code: refusal.code, status, traceId } });
  }
  return new GraphQLError("An internal error occurred.", {
    extensions: { code: "INTERNAL", status: 500, traceId },
    ...(error instanceof Error ? { originalError: error } : {}),
  });
}
