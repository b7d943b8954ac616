import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

export interface EventChannelLimits {
  /** Milliseconds between the comments that keep an idle stream open. */
  readonly keepAliveMs: number;
  /** Milliseconds to wait for a client that does not take what was sent. */
  readonly patienceMs: number;
}

export const defaultEventLimits: EventChannelLimits = { keepAliveMs: 12_000, patienceMs: 60_000 };

const comment = ":\n\n";

/**
 * One response that is an event stream (HTML specification, section 9.2), with the events of graphql-sse in its distinct
 * connections mode. A client that does not read blocks `ready`, and is cut when its patience ends.
 */
export class EventChannel {
  readonly #response: ServerResponse;
  readonly #limits: EventChannelLimits;
  #keepAlive: NodeJS.Timeout | undefined;
  /** Cuts the client while it does not take what was sent. */
  #patience: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(response: ServerResponse, limits: EventChannelLimits) {
    this.#response = response;
    this.#limits = limits;
    response.on("error", () => response.destroy());
    response.on("drain", () => this.#drained());
    response.once("close", () => this.#closed());
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends the headers, so that the client knows that its operation has begun. */
  begin(headers: OutgoingHttpHeaders): void {
    if (!this.isOpen) return;
    this.#response.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // nginx would collect events in a buffer
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
    this.#keepAlive = setInterval(() => this.#write(comment), this.#limits.keepAliveMs);
  }

  /** Calls `listener` when the response has ended, and when the client has gone. */
  onClose(listener: () => void): void {
    if (this.#response.closed) listener();
    else this.#response.once("close", listener);
  }

  /** Resolves when the client has taken what was sent, or when the stream has ended. */
  async ready(): Promise<void> {
    if (!this.isOpen || this.#patience === undefined) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Sends a result. The client may go on after `id` when it opens the stream again. */
  next(result: unknown, id: string | undefined): void {
    this.#write(`${id === undefined ? "" : `id: ${id}\n`}event: next\ndata: ${JSON.stringify(result)}\n\n`);
  }

  /** Tells that no result follows, and ends the response. */
  complete(): void {
    if (!this.isOpen) return;
    clearInterval(this.#keepAlive);
    // an EventSource takes no event without data
    this.#response.end("event: complete\ndata: \n\n");
    // the response has no event "drain" after its end
    this.#patience ??= this.#cutLater();
  }

  /** Cuts a client that has not taken everything by then. */
  cutAfter(ms: number): void {
    const deadline = setTimeout(() => this.#response.destroy(), ms);
    this.#response.once("close", () => clearTimeout(deadline));
  }

  #write(text: string): void {
    // a comment has no use behind events that wait
    if (!this.isOpen || (text === comment && this.#patience !== undefined)) return;
    if (!this.#response.write(text)) this.#patience ??= this.#cutLater();
  }

  #cutLater(): NodeJS.Timeout {
    return setTimeout(() => this.#response.destroy(), this.#limits.patienceMs);
  }

  #drained(): void {
    if (this.isOpen) {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    }
    this.#wake?.();
  }

  #closed(): void {
    clearInterval(this.#keepAlive);
    clearTimeout(this.#patience);
    this.#wake?.();
  }
}
