import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { WebSocket as ProtocolSocket } from "graphql-ws";
import { WebSocket } from "ws";
import { MessageRateLimit } from "./message-rate-limit.js";

export interface ChannelLimits {
  /** Milliseconds between pings to a peer that has answered the last one. */
  readonly keepAliveMs: number;
  /**
   * Milliseconds to wait for a pong. The peer reads a ping only after all earlier messages, so a slow peer needs time.
   */
  readonly patienceMs: number;
  /** The maximum characters that are sent before the peer confirms that it has read them. */
  readonly window: number;
  /** The maximum characters that wait for the window: results for a peer that sends operations and does not read. */
  readonly maxWaiting: number;
  /** Milliseconds to wait until the peer answers a close frame. */
  readonly closeMs: number;
}

export const defaultChannelLimits: ChannelLimits = {
  keepAliveMs: 12_000,
  patienceMs: 60_000,
  window: 256 * 1024,
  maxWaiting: 16 * 1024 * 1024,
  closeMs: 5000,
};

const policyViolation = 1008;
const internalError = 1011;

/**
 * One websocket with flow control. The kernel would buffer megabytes for a peer that does not read. Then neither the
 * subscriptions nor the keep-alive would notice that the peer is slow. Therefore a ping follows every quarter window.
 * Its pong (RFC 6455, section 5.5.3) confirms that the peer has read all earlier messages. When the window is full,
 * further messages wait for a pong.
 */
export class SocketChannel implements ProtocolSocket {
  readonly #socket: WebSocket;
  readonly #limits: ChannelLimits;
  readonly #rateLimit = new MessageRateLimit();
  readonly #keepAlive: NodeJS.Timeout;
  /** Pings without a pong, oldest first. `mark` counts the characters that were sent before the ping. */
  #pings: { readonly mark: number; readonly at: number }[] = [];
  #waiting: { readonly data: string; readonly sent: () => void }[] = [];
  #waitingLength = 0;
  #sent = 0;
  #read = 0;

  constructor(socket: WebSocket, limits: ChannelLimits) {
    this.#socket = socket;
    this.#limits = limits;
    this.#keepAlive = setInterval(() => this.#look(), limits.keepAliveMs);
    // The library ws answers pings by itself. Here they are only counted.
    socket.on("ping", () => void this.#admit());
    socket.on("pong", (mark: Buffer) => this.#acknowledge(Number(mark.toString())));
    // The library ws closes the socket after an error, with the matching close code.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#end());
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends a message. Resolves when the message is sent, or when the socket has ended without sending it. */
  send(data: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    if (this.#isWindowOpen && this.#waiting.length === 0) return this.#write(data);
    this.#waitingLength += data.length;
    if (this.#waitingLength + this.#socket.bufferedAmount > this.#limits.maxWaiting) {
      this.#socket.terminate();
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push({ data, sent: resolve }));
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  /**
   * Calls `receive` for each message. Messages from a closing socket are ignored, because its token may have expired.
   */
  onMessage(receive: (data: string) => Promise<void>): void {
    this.#socket.on("message", (data: Buffer) => {
      if (this.isOpen && this.#admit())
        receive(parsed(data.toString())).catch(() => this.close(internalError, "Internal error"));
    });
  }

  #admit(): boolean {
    if (this.#rateLimit.take()) return true;
    this.close(policyViolation, "Too many messages");
    this.#socket.pause();
    return false;
  }

  /** Does not count the current message, because another rate limit counts it. */
  countedElsewhere(): void {
    this.#rateLimit.giveBack();
  }

  get #isWindowOpen(): boolean {
    return this.#sent - this.#read < this.#limits.window;
  }

  #write(data: string): Promise<void> {
    this.#sent += data.length;
    const writing = new Promise<void>((resolve) => this.#socket.send(data, () => resolve()));
    if (this.#sent - (this.#pings.at(-1)?.mark ?? this.#read) >= this.#limits.window / 4) this.#ping();
    return writing;
  }

  #ping(): void {
    this.#pings.push({ mark: this.#sent, at: performance.now() });
    this.#socket.ping(String(this.#sent));
  }

  /** Handles a pong. The pong also confirms all earlier pings, because a peer may answer only the latest ping. */
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
    if (oldest && performance.now() - oldest.at >= this.#limits.patienceMs) this.#socket.terminate();
    else if (!oldest && this.isOpen) this.#ping();
  }

  #end(): void {
    clearInterval(this.#keepAlive);
    for (const { sent } of this.#waiting.splice(0)) sent();
  }
}

/**
 * A message's value, which the protocol takes instead of its text. A reviver in the protocol would take many times as
 * long to keep numbers.
 */
function parsed(text: string): string {
  try {
    const value = parseForeignJson(text);
    return typeof value === "string" ? text : (value as string);
  } catch {
    return text;
  }
}
