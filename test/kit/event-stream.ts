import { platform } from "./platform.js";

interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export interface StreamedResult<T> {
  readonly data?: T | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly cursor?: string; readonly after?: number };
  }[];
}

export interface EventStream<T> {
  readonly status: number;
  readonly headers: Headers;
  /** The body, where the answer is not an event stream. */
  readonly problem: { readonly code?: string; readonly detail?: string } | undefined;
  readonly events: readonly StreamEvent[];
  /** The results in the `next` events. */
  readonly results: readonly StreamedResult<T>[];
  /** How many comments have come. */
  readonly comments: number;
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
  /** Stops and starts reading. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

interface StreamRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly token?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly method?: "GET" | "POST";
  readonly headers?: Record<string, string>;
  /** Sent unchanged as the body, instead of the query. */
  readonly raw?: string;
}

/**
 * Opens a subscription as an event stream (graphql-sse, distinct connections mode) with plain fetch. Resolves when the
 * platform has begun it, so that no later event is missed.
 */
export async function anEventStream<T = unknown>(request: StreamRequest): Promise<EventStream<T>> {
  const abort = new AbortController();
  const response = await send(request, abort.signal);
  const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
  const events: StreamEvent[] = [];
  const results: StreamedResult<T>[] = [];
  let comments = 0;
  let gate: Promise<void> | undefined;
  let open = () => undefined as void;
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) comments += 1;
        else {
          const event = parsed(block);
          events.push(event);
          if (event.event === "next") results.push(JSON.parse(event.data) as StreamedResult<T>);
        }
      }
      await gate;
    }
  };
  const problem = isStream ? undefined : ((await response.json()) as { code?: string });
  const ended = isStream ? read().catch(() => undefined) : Promise.resolve();
  return {
    ...{ status: response.status, headers: response.headers, problem, events, results, ended },
    get comments() {
      return comments;
    },
    pause() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    resume() {
      gate = undefined;
      open();
    },
    async stop() {
      abort.abort();
      open();
      await ended;
    },
  };
}

function send(
  { query, variables, token, lastEventId, method = "POST", headers, raw }: StreamRequest,
  signal: AbortSignal,
) {
  const url = new URL(`${platform().publicUrl}/graphql`);
  if (method === "GET") {
    url.searchParams.set("query", query);
    if (variables) url.searchParams.set("variables", JSON.stringify(variables));
  }
  return fetch(url, {
    method,
    signal,
    headers: {
      accept: "text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      ...(method === "POST" ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(method === "POST" ? { body: raw ?? JSON.stringify({ query, variables }) } : {}),
  });
}

function parsed(block: string): StreamEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")] as const;
    }),
  );
  return { id: fields.get("id"), event: fields.get("event") ?? "", data: fields.get("data") ?? "" };
}
