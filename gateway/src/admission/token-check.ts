import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type GraphQLError, Kind, parse, valueFromASTUntyped } from "graphql";
import { type Operation, operationFields } from "./operation-charge.js";

/**
 * Returns an error for an operation without a token, unless all its root fields are declared anonymous. Introspection
 * does not need a token.
 */
export type TokenCheck = (operation: Operation, context: RequestContext) => GraphQLError | undefined;

/** Reads the anonymous fields from the supergraph's `@auth` directives. */
export function tokenCheck(supergraphSdl: string): TokenCheck {
  const anonymous = anonymousFields(supergraphSdl);
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

const rootTypes: Readonly<Record<string, string>> = { Query: "query", Mutation: "mutation" };

/** A supergraph's anonymous root fields, such as `mutation acceptInvitation`. */
function anonymousFields(supergraphSdl: string): ReadonlySet<string> {
  const fields = parse(supergraphSdl).definitions.flatMap((definition) => {
    const kind = definition.kind === Kind.OBJECT_TYPE_DEFINITION ? rootTypes[definition.name.value] : undefined;
    if (kind === undefined || definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const open = (definition.fields ?? []).filter(({ directives }) =>
      directives?.some(
        ({ name, arguments: argumentNodes }) =>
          name.value === "auth" &&
          argumentNodes?.some(
            (argument) => argument.name.value === "anonymous" && valueFromASTUntyped(argument.value) === true,
          ),
      ),
    );
    return open.map(({ name }) => `${kind} ${name.value}`);
  });
  return new Set(fields);
}
