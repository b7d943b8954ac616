import type { ApolloServerPlugin, HTTPGraphQLRequest } from "@apollo/server";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { OperationTypeNode } from "graphql";

/** Fields that show a secret to a query: who has the link can authorize the connection. */
const secretFields = ["authorizationUrl"];

/**
 * The requests whose answers may be compressed: queries without a secret. A mutation can show a new secret beside a text
 * that somebody else has chosen, and the size of a compressed answer tells about its content (BREACH, CVE-2013-3587).
 */
export class CompressibleAnswers {
  // Apollo Server copies the context, but hands the request on as it is
  readonly #requests = new WeakSet<HTTPGraphQLRequest>();

  readonly plugin: ApolloServerPlugin<RequestContext> = {
    requestDidStart: async () => ({
      willSendResponse: async ({ request: { http }, operation, source }) => {
        const isQuery = operation?.operation === OperationTypeNode.QUERY;
        if (http && isQuery && !secretFields.some((field) => source?.includes(field))) this.#requests.add(http);
      },
    }),
  };

  has(request: HTTPGraphQLRequest): boolean {
    return this.#requests.has(request);
  }
}
