import { OperationTypeNode } from "graphql";
import { type OperationRequest, requestedOperation } from "./operation-request.js";
import { socketSubscription } from "./socket-subscription.js";

/** The headers of the header editor. */
export interface RequestSurroundings {
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** Runs one operation: its answer, or the answers of a subscription. */
export type OperationFetcher = (
  request: OperationRequest,
  surroundings?: RequestSurroundings,
) => Promise<unknown> | AsyncIterableIterator<unknown>;

/** The page's origin, and the access token at hand. */
export interface FetcherOptions {
  readonly origin: string;
  readonly token: () => string | undefined;
}

/**
 * A fetcher for GraphiQL: queries and mutations over fetch, subscriptions over a websocket. GraphiQL's own client sends
 * no token in `connection_init`. The token goes into the header `authorization` unless the header editor has one.
 */
export function operationFetcher({ origin, token }: FetcherOptions): OperationFetcher {
  return (request, surroundings = {}) => {
    const operation = requestedOperation(request);
    const { query, variables } = request;
    const payload = { query, operationName: operation ? operation.name?.value : request.operationName, variables };
    const headers = headersWith(token(), surroundings.headers);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION
      ? socketSubscription(origin, payload, headers)
      : answerOf(`${origin}/graphql`, payload, headers);
  };
}

async function answerOf(url: string, payload: OperationRequest, headers: Record<string, string>): Promise<unknown> {
  const accept = "application/graphql-response+json, application/json";
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: JSON.stringify(payload),
  });
  return response.json();
}

function headersWith(token: string | undefined, others: RequestSurroundings["headers"] = {}): Record<string, string> {
  const entries = Object.entries(others).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...Object.fromEntries(entries) };
}
