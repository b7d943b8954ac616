import { createClient } from "graphql-ws";
import WebSocket from "ws";

interface FeedEvent {
  readonly type: string;
  readonly cursor: string;
  readonly subjectPath: string;
  readonly subject: { readonly name?: string; readonly status?: string } | null;
}

interface EventFeed {
  readonly events: readonly FeedEvent[];
  close(): Promise<void>;
}

const subscription = `subscription ($types: [String!]) {
  events(types: $types) {
    type cursor subjectPath
    subject { ... on Template { name } ... on Execution { status } }
  }
}`;

/** Subscribes to a tenant's events over graphql-ws. Resolves when the server has acknowledged the socket. */
export async function openEventFeed(options: {
  url: string;
  token: string;
  types: readonly string[];
  onEvent(event: FeedEvent): void;
}): Promise<EventFeed> {
  const events: FeedEvent[] = [];
  const client = createClient({
    url: options.url,
    webSocketImpl: WebSocket,
    lazy: false,
    connectionParams: { authorization: `Bearer ${options.token}` },
    onNonLazyError: () => undefined,
  });
  const connection = new Promise<void>((resolve, reject) => {
    client.on("connected", () => resolve());
    client.on("closed", (event) =>
      reject(new Error(`The event socket closed: ${(event as { reason?: string }).reason ?? ""}`)),
    );
  });
  client.subscribe<{ events: FeedEvent }>(
    { query: subscription, variables: { types: [...options.types] } },
    {
      next({ data, errors }) {
        if (errors) process.stderr.write(`event feed: ${JSON.stringify(errors)}\n`);
        if (!data) return;
        events.push(data.events);
        options.onEvent(data.events);
      },
      error: (error) => process.stderr.write(`event feed: ${JSON.stringify(error)}\n`),
      complete: () => undefined,
    },
  );
  await connection;
  return { events, close: async () => client.dispose() };
}
