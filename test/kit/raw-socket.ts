import WebSocket from "ws";
import { platform } from "./platform.js";

interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

export interface RawSocket {
  readonly messages: readonly SocketMessage[];
  readonly closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  close(): void;
  /** Stops and starts reading. Data that arrives in the meantime stays in the kernel's buffers. */
  pause(): void;
  resume(): void;
}

/**
 * A graphql-transport-ws socket without a client library, so that the test decides about each message and the order.
 */
export async function aRawSocket(): Promise<RawSocket> {
  const socket = new WebSocket(`${platform().publicUrl.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  const messages: SocketMessage[] = [];
  socket.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString("utf8")) as SocketMessage));
  const closure = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  return {
    messages,
    closed: closure,
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    close: () => socket.close(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
