import type { OperationRequest } from "./operation-request.js";

interface Item {
  readonly value: unknown;
  readonly done: boolean;
}

/**
 * Runs a subscription over a websocket (graphql-transport-ws). A browser can send a websocket's token only in
 * `connection_init`, so the headers are its payload.
 */
export async function* socketSubscription(
  origin: string,
  payload: OperationRequest,
  headers: Readonly<Record<string, string>>,
): AsyncGenerator<unknown, void, undefined> {
  const socket = new WebSocket(`${origin.replace(/^http/, "ws")}/graphql`, "graphql-transport-ws");
  const waiting: Item[] = [];
  let wake = (): void => undefined;
  let hasEnded = false;
  const push = (item: Item) => {
    if (hasEnded) return;
    waiting.push(item);
    hasEnded = item.done;
    wake();
  };
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.addEventListener("open", () => send({ type: "connection_init", payload: headers }));
  socket.addEventListener("close", ({ code, reason }) => push(lastErrors([{ message: closeMessage(code, reason) }])));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { type: string; payload?: unknown };
    if (message.type === "connection_ack") send({ type: "subscribe", id: "1", payload });
    else if (message.type === "ping") send({ type: "pong" });
    else if (message.type === "next") push({ done: false, value: message.payload });
    else if (message.type === "error") push(lastErrors(message.payload));
    else if (message.type === "complete") push({ done: true, value: undefined });
  });
  try {
    for (;;) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const { done, value } = waiting.shift() as Item;
      if (value !== undefined) yield value;
      if (done) return;
    }
  } finally {
    hasEnded = true;
    socket.close();
  }
}

const lastErrors = (errors: unknown): Item => ({ done: true, value: { errors } });

const closeMessage = (code: number, reason: string) => `The socket was closed: ${code} ${reason}`;
