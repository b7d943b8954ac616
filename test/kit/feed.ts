import { randomUUID } from "node:crypto";
import { type Client, createClient } from "graphql-ws";
import WebSocket from "ws";
import { platform } from "./platform.js";

export interface Feed<T> {
  readonly events: readonly T[];
  readonly errors: readonly unknown[];
  /** The socket's close code. Resolves when the socket is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** True when the server has completed the subscription. */
  ended(): boolean;
  stop(): Promise<void>;
}

/** Opens a subscription with graphql-ws. Resolves when the platform has begun it, so that no later event is missed. */
export async function aFeed<T>(options: {
  query: string;
  variables?: Record<string, unknown>;
  token?: string | undefined;
}): Promise<Feed<T>> {
  const events: T[] = [];
  const errors: unknown[] = [];
  let isComplete = false;
  const client = createClient({
    url: `${platform().publicUrl.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    ...(options.token === undefined ? {} : { connectionParams: { authorization: `Bearer ${options.token}` } }),
    onNonLazyError: () => undefined,
  });
  const closure = new Promise<{ code: number; reason: string }>((resolve) =>
    client.on("closed", (event) => resolve(event as { code: number; reason: string })),
  );
  const opening = new Promise<void>((resolve) => client.on("connected", () => resolve()));
  client.subscribe<T>(
    { query: options.query, ...(options.variables ? { variables: options.variables } : {}) },
    {
      next(result) {
        if (result.errors) errors.push(...result.errors);
        if (result.data) events.push(result.data);
      },
      error: (error) => errors.push(...[error].flat()),
      complete() {
        isComplete = true;
      },
    },
  );
  await Promise.race([opening.then(() => laterQuery(client)), closure]);
  return { events, errors, closed: closure, ended: () => isComplete, stop: async () => client.dispose() };
}

/**
 * Sends a new document over the socket, and resolves when it is answered. The platform plans a tenant's documents in
 * their order, so that an operation which came before this one has begun by then.
 */
function laterQuery(client: Client): Promise<void> {
  const query = `query later_${randomUUID().replaceAll("-", "")} { __typename }`;
  return new Promise((resolve) => {
    const settle = () => resolve();
    client.subscribe({ query }, { next: settle, error: settle, complete: settle });
  });
}
