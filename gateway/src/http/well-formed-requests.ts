import type { ApolloServerPlugin, HTTPGraphQLRequest } from "@apollo/server";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";

/** The requests that have a GraphQL document, whatever the document says. */
export class WellFormedRequests {
  // Apollo Server copies the context, but hands the request on as it is
  readonly #requests = new WeakSet<HTTPGraphQLRequest>();

  readonly plugin: ApolloServerPlugin<RequestContext> = {
    requestDidStart: async () => ({
      didResolveSource: async ({ request: { http } }) => {
        if (http) this.#requests.add(http);
      },
    }),
  };

  has(request: HTTPGraphQLRequest): boolean {
    return this.#requests.has(request);
  }
}
