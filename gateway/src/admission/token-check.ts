import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type ConstDirectiveNode, type GraphQLError, type GraphQLSchema, valueFromASTUntyped } from "graphql";
import { type Operation, operationFields } from "./operation-charge.js";

/**
 * Returns an error for an operation without a token, unless all its root fields are declared anonymous. Introspection
 * does not need a token.
 */
export type TokenCheck = (operation: Operation, context: RequestContext) => GraphQLError | undefined;

/** Reads the anonymous fields from the supergraph's `@auth` directives. */
export function tokenCheck(supergraph: GraphQLSchema): TokenCheck {
  const anonymous = anonymousFields(supergraph);
  return (request, context) => {
    if (context.principal) return undefined;
    const kind = request.operation.operation;
    // a subscription whose only field is left out by a condition has no field that could ask for a token
    if (kind !== "subscription" && operationFields(request).every((name) => anonymous.has(`${kind} ${name}`)))
      return undefined;
    return toGraphqlError(
      new DomainError("UNAUTHENTICATED", {
        detail: "A bearer token is required. Send it in the header Authorization.",
      }),
      context,
    );
  };
}

/** A supergraph's anonymous root fields, such as `mutation acceptInvitation`. */
function anonymousFields(supergraph: GraphQLSchema): ReadonlySet<string> {
  const roots = { query: supergraph.getQueryType(), mutation: supergraph.getMutationType() };
  const names = Object.entries(roots).flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ astNode }) => astNode?.directives?.some(isAnonymous))
      .map(({ name }) => `${kind} ${name}`),
  );
  return new Set(names);
}

const isAnonymous = ({ name, arguments: argumentNodes }: ConstDirectiveNode): boolean =>
  name.value === "auth" &&
  (argumentNodes ?? []).some(
    (argument) => argument.name.value === "anonymous" && valueFromASTUntyped(argument.value) === true,
  );
