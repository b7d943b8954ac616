import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/subgraph/feed-end";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { EventLogService } from "../event-log/event-log.service.js";
import type { LoggedEvent } from "../event-log/logged-event.js";
import type { EventHub } from "./event-hub.js";
import { EventQueue, type QueueBounds } from "./event-queue.js";

export interface FeedSource {
  readonly log: EventLogService;
  readonly hub: EventHub;
  readonly bounds: QueueBounds;
  readonly logger: Logger;
}

export interface FeedRequest {
  readonly tenant: Tenant;
  readonly types: ReadonlySet<string>;
  /** Position after which to begin; undefined: with what comes from now on. */
  readonly after: number | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export type FeedItem = LoggedEvent | FeedEnd;

const pageSize = 200;
const longestTimerMs = 2 ** 31 - 1;

/**
 * Events of one subscriber: first from the log in pages, then live, without gap, repetition or change of order.
 * An iterator and no bare generator: it listens from its creation on, and `return` ends it while it waits.
 */
export class EventFeed implements AsyncIterableIterator<FeedItem> {
  readonly #source: FeedSource;
  readonly #request: FeedRequest;
  readonly #queue: EventQueue;
  readonly #items: AsyncGenerator<FeedItem, void, undefined>;
  readonly #types: string[];
  #cursor: number;
  #detach: (() => void) | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(source: FeedSource, request: FeedRequest) {
    this.#source = source;
    this.#request = request;
    this.#types = [...request.types];
    this.#queue = new EventQueue(source.bounds);
    this.#cursor = request.after ?? source.hub.position;
    this.#items = this.#run();
    this.#armExpiry();
    if (request.after === undefined) this.#attach();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<FeedItem>> {
    return this.#items.next();
  }

  return(): Promise<IteratorResult<FeedItem>> {
    this.#close();
    return this.#items.return();
  }

  async *#run(): AsyncGenerator<FeedItem, void, undefined> {
    try {
      if (this.#request.after !== undefined) yield* this.#replay();
      yield* this.#live();
    } catch (error) {
      if (!(error instanceof DomainError)) this.#source.logger.error({ err: error }, "event feed ended");
      yield new FeedEnd(error);
    } finally {
      this.#close();
    }
  }

  /** Attaches at the last page it finds and reads once more: what was committed in between is in one of the two. */
  async *#replay(): AsyncGenerator<LoggedEvent> {
    while (!this.#closed) {
      const attached = this.#detach !== undefined;
      const page = await this.#source.log.page(this.#request.tenant, this.#cursor, this.#types, pageSize);
      for (const event of page) {
        this.#check();
        this.#cursor = event.position;
        yield event;
      }
      if (page.length === pageSize) continue;
      if (attached) return;
      this.#attach();
    }
  }

  async *#live(): AsyncGenerator<LoggedEvent> {
    while (!this.#closed) {
      this.#check();
      const event = this.#queue.take();
      if (!event) await this.#queue.changed();
      else if (event.position > this.#cursor) {
        this.#cursor = event.position;
        yield event;
      }
    }
  }

  #check(): void {
    if (Date.now() >= this.#request.expiresAt * 1000)
      throw new DomainError("TOKEN_EXPIRED", { detail: "The token has expired.", cursor: String(this.#cursor) });
    if (this.#queue.lagged)
      throw new DomainError("SUBSCRIPTION_LAGGED", {
        detail: "The subscriber is too slow; resume after the cursor.",
        cursor: String(this.#cursor),
      });
  }

  #attach(): void {
    if (this.#closed) return;
    const { hub } = this.#source;
    this.#detach = hub.attach(this.#request.tenant.uuid, (event) => {
      if (this.#request.types.has(event.envelope.type)) this.#queue.push(event);
    });
  }

  #armExpiry(): void {
    const remainingMs = this.#request.expiresAt * 1000 - Date.now();
    this.#expiry = setTimeout(
      () => {
        this.#queue.wake();
        if (!this.#closed && Date.now() < this.#request.expiresAt * 1000) this.#armExpiry();
      },
      Math.min(Math.max(remainingMs, 0), longestTimerMs),
    );
    this.#expiry.unref();
  }

  #close(): void {
    this.#closed = true;
    clearTimeout(this.#expiry);
    this.#detach?.();
    this.#queue.wake();
  }
}
