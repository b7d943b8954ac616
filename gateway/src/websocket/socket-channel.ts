import type { WebSocket as ProtocolSocket } from "graphql-ws";
import { WebSocket } from "ws";
import { MessageBudget } from "./message-rate-limit.js";

export interface ChannelBounds {
  /** How often a peer that owes no pong gets a ping. */
  readonly keepAliveMs: number;
  /** How long a pong may take: the ping lies behind everything that the peer has not read. */
  readonly patienceMs: number;
  /** Characters that are sent before the peer has shown that it reads. */
  readonly window: number;
  /** Characters that may wait for the window: answers to a peer that asks and does not read. */
  readonly maxWaiting: number;
  /** How long the answer to a close may take. */
  readonly closeMs: number;
}

export const defaultBounds: ChannelBounds = {
  keepAliveMs: 12_000,
  patienceMs: 60_000,
  window: 256 * 1024,
  maxWaiting: 16 * 1024 * 1024,
  closeMs: 5000,
};

const policyViolation = 1008;
const internalError = 1011;

/**
 * One websocket, with flow control. The kernel would take megabytes for a peer that does not read, and neither its
 * subscriptions nor the keep-alive would notice how slow it is. So every quarter of the window is followed by a ping,
 * whose pong (RFC 6455 section 5.5.3) says that everything before it was read; further messages wait for that.
 */
export class SocketChannel implements ProtocolSocket {
  readonly #socket: WebSocket;
  readonly #bounds: ChannelBounds;
  readonly #budget = new MessageBudget();
  readonly #keepAlive: NodeJS.Timeout;
  /** Pings without an answer, oldest first; `mark` is what had been sent before. */
  #pings: { readonly mark: number; readonly at: number }[] = [];
  #waiting: { readonly data: string; readonly sent: () => void }[] = [];
  #waitingLength = 0;
  #sent = 0;
  #read = 0;

  constructor(socket: WebSocket, bounds: ChannelBounds) {
    this.#socket = socket;
    this.#bounds = bounds;
    this.#keepAlive = setInterval(() => this.#look(), bounds.keepAliveMs);
    // ws answers a ping by itself
    socket.on("ping", () => void this.#admit());
    socket.on("pong", (mark: Buffer) => this.#acknowledge(Number(mark.toString())));
    // ws closes the socket after an error, with the code that belongs to it
    socket.on("error", () => undefined);
    socket.once("close", () => this.#end());
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Resolves when the message is on its way, or when the socket has ended and it never will be. */
  send(data: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    if (this.#isWindowOpen && this.#waiting.length === 0) return this.#write(data);
    this.#waitingLength += data.length;
    if (this.#waitingLength + this.#socket.bufferedAmount > this.#bounds.maxWaiting) {
      this.#socket.terminate();
      return Promise.resolve();
    }
    return new Promise((sent) => this.#waiting.push({ data, sent }));
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  /** A peer that was told to go is not heard any more: its token may have expired. */
  onMessage(receive: (data: string) => Promise<void>): void {
    this.#socket.on("message", (data: Buffer) => {
      if (this.isOpen && this.#admit())
        receive(data.toString()).catch(() => this.close(internalError, "Internal error"));
    });
  }

  #admit(): boolean {
    if (this.#budget.take()) return true;
    this.close(policyViolation, "Too many messages");
    this.#socket.pause();
    return false;
  }

  /** The message at hand is counted elsewhere. */
  paid(): void {
    this.#budget.giveBack();
  }

  get #isWindowOpen(): boolean {
    return this.#sent - this.#read < this.#bounds.window;
  }

  #write(data: string): Promise<void> {
    this.#sent += data.length;
    const written = new Promise<void>((resolve) => this.#socket.send(data, () => resolve()));
    if (this.#sent - (this.#pings.at(-1)?.mark ?? this.#read) >= this.#bounds.window / 4) this.#ping();
    return written;
  }

  #ping(): void {
    this.#pings.push({ mark: this.#sent, at: performance.now() });
    this.#socket.ping(String(this.#sent));
  }

  /** A peer may answer the latest of several pings only. */
  #acknowledge(mark: number): void {
    const place = this.#pings.findIndex((ping) => ping.mark === mark);
    if (place < 0) return;
    this.#pings = this.#pings.slice(place + 1);
    this.#read = mark;
    while (this.isOpen && this.#isWindowOpen) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#waitingLength -= next.data.length;
      void this.#write(next.data).then(next.sent);
    }
  }

  #look(): void {
    const [oldest] = this.#pings;
    if (oldest && performance.now() - oldest.at >= this.#bounds.patienceMs) this.#socket.terminate();
    else if (!oldest && this.isOpen) this.#ping();
  }

  #end(): void {
    clearInterval(this.#keepAlive);
    for (const { sent } of this.#waiting.splice(0)) sent();
  }
}
