import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { EventLogService } from "../event-log/event-log.service.js";
import type { LoggedEvent } from "../event-log/logged-event.js";
import type { EventHub } from "./event-hub.js";
import { type SubscriberLimits, SubscriberQueue } from "./subscriber-queue.js";

export interface FeedSource {
  readonly log: EventLogService;
  readonly hub: EventHub;
  readonly limits: SubscriberLimits;
  readonly logger: Logger;
}

interface FeedRequest {
  readonly tenant: Tenant;
  readonly types: ReadonlySet<string>;
  /** The sequence after which the feed begins. Undefined means only new events. */
  readonly after: number | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export type FeedItem = LoggedEvent | FeedEnd;

const pageSize = 200;
const maxTimerMs = 2 ** 31 - 1;

/**
 * One subscriber's events: first stored events in pages, then new ones, without a gap, a repetition or a changed order.
 * It is an iterator and not only a generator, because it listens from its creation on and `return` ends it while it
 * waits.
 */
export class EventFeed implements AsyncIterableIterator<FeedItem> {
  readonly #source: FeedSource;
  readonly #request: FeedRequest;
  readonly #queue: SubscriberQueue;
  readonly #items: AsyncGenerator<FeedItem, void, undefined>;
  readonly #types: string[];
  /** The last delivered event's sequence. Undefined when none was delivered and no cursor was given. */
  #cursor: number | undefined;
  /** The hub's position when this feed was attached to it. */
  #attachedAt = 0;
  #detach: (() => void) | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isEnding = false;
  #closed = false;

  constructor(source: FeedSource, request: FeedRequest) {
    this.#source = source;
    this.#request = request;
    this.#types = [...request.types];
    this.#queue = new SubscriberQueue(source.limits);
    this.#cursor = request.after;
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

  /** Asks the feed to end: its next item tells the cursor after which to subscribe again. */
  end(): void {
    this.#isEnding = true;
    this.#queue.wake();
  }

  async *#run(): AsyncGenerator<FeedItem, void, undefined> {
    try {
      if (this.#request.after !== undefined) yield* this.#replay(this.#request.after);
      yield* this.#live();
    } catch (error) {
      if (!(error instanceof DomainError)) this.#source.logger.error({ err: error }, "event feed ended");
      yield new FeedEnd(error);
    } finally {
      this.#close();
    }
  }

  /**
   * Attaches to the hub after the last page, and reads once more. An event that was committed in between is in that
   * page or comes from the hub.
   */
  async *#replay(after: number): AsyncGenerator<LoggedEvent> {
    let cursor = after;
    while (!this.#closed) {
      const isAttached = this.#detach !== undefined;
      const page = await this.#source.log.page(this.#request.tenant, cursor, this.#types, pageSize);
      for (const event of page) {
        if (this.#isOver()) await this.#refuse();
        cursor = event.sequence;
        this.#cursor = cursor;
        yield event;
      }
      if (page.length === pageSize) continue;
      if (isAttached) return;
      this.#attach();
    }
  }

  async *#live(): AsyncGenerator<LoggedEvent> {
    while (!this.#closed) {
      if (this.#isOver()) await this.#refuse();
      const event = this.#queue.take();
      if (!event) await this.#queue.changed();
      else if (this.#cursor === undefined || event.sequence > this.#cursor) {
        this.#cursor = event.sequence;
        yield event;
      }
    }
  }

  #isOver(): boolean {
    return this.#isEnding || this.#queue.lagged || this.#isExpired();
  }

  #isExpired(): boolean {
    return Date.now() >= this.#request.expiresAt * 1000;
  }

  async #refuse(): Promise<never> {
    const resume = { cursor: String(await this.#resumeAfter()) };
    if (this.#isExpired())
      throw new DomainError("TOKEN_EXPIRED", {
        detail: "The token has expired. Get a new token and subscribe again after the cursor.",
        ...resume,
      });
    if (this.#queue.lagged)
      throw new DomainError("SUBSCRIPTION_LAGGED", {
        detail: "The subscriber reads too slowly. Subscribe again after the cursor.",
        ...resume,
      });
    throw new DomainError("UNAVAILABLE", {
      detail: "The platform ended the subscription. Subscribe again after the cursor.",
      ...resume,
    });
  }

  /** It is read only when the feed ends without a delivered event, so that opening a feed costs no statement. */
  async #resumeAfter(): Promise<number> {
    return this.#cursor ?? this.#source.log.sequenceAt(this.#request.tenant, this.#attachedAt);
  }

  #attach(): void {
    if (this.#closed) return;
    const { hub } = this.#source;
    this.#attachedAt = hub.position;
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
      Math.min(Math.max(remainingMs, 0), maxTimerMs),
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
