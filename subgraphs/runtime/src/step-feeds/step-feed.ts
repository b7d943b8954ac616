import { DomainError } from "../errors/domain-error.js";
import { FeedEnd } from "../graphql/feed-end.js";
import type { Logger } from "../telemetry/logger.js";

/** A state that a row has reached. */
interface Step {
  /** Ascending. */
  readonly sequence: number;
}

/** Reads one row's steps. */
export interface StepSource<Item extends Step> {
  /** The steps after a sequence, oldest first, and whether no further steps can follow them. */
  read(after: number): Promise<{ readonly steps: readonly Item[]; readonly hasEnded: boolean }>;
  /** Calls `wake` after each step for the row. Returns the function that unsubscribes. */
  subscribe(wake: () => void): () => void;
  readonly logger: Logger;
  /** The interval for reads without a notification. Default: 5 s. */
  readonly pollIntervalMs?: number;
}

interface FeedRequest {
  readonly after: number;
  /** The token's expiry, in epoch seconds. */
  readonly expiresAt: number;
}

/** The default interval for reads without a notification, since one can be lost with its connection. */
const defaultPollIntervalMs = 5000;

/**
 * Iterates over one row's steps after a given one, stored and future. Ends after the final step. The last item is a
 * FeedEnd when the feed ends earlier: with TOKEN_EXPIRED, UNAVAILABLE or an internal error.
 */
export class StepFeed<Item extends Step> implements AsyncIterableIterator<Item | FeedEnd> {
  readonly #source: StepSource<Item>;
  readonly #request: FeedRequest;
  readonly #items: AsyncGenerator<Item | FeedEnd, void, undefined>;
  readonly #unsubscribe: () => void;
  #sequence: number;
  #isEnding = false;
  #closed = false;
  #woken = false;
  #wake: (() => void) | undefined;

  constructor(source: StepSource<Item>, request: FeedRequest) {
    this.#source = source;
    this.#request = request;
    this.#sequence = request.after;
    this.#unsubscribe = source.subscribe(() => this.#wakeUp());
    this.#items = this.#run();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item | FeedEnd>> {
    return this.#items.next();
  }

  return(): Promise<IteratorResult<Item | FeedEnd>> {
    this.#close();
    return this.#items.return();
  }

  /** Asks the feed to end: its next item tells the sequence after which to subscribe again. */
  end(): void {
    this.#isEnding = true;
    this.#wakeUp();
  }

  async *#run(): AsyncGenerator<Item | FeedEnd, void, undefined> {
    try {
      while (!this.#closed) {
        this.#woken = false;
        const { steps, hasEnded } = await this.#source.read(this.#sequence);
        for (const step of steps) {
          this.#requireOpen();
          this.#sequence = step.sequence;
          yield step;
        }
        if (hasEnded) return;
        await this.#nextStep();
        this.#requireOpen();
      }
    } catch (error) {
      if (!(error instanceof DomainError)) this.#source.logger.error({ err: error }, "a feed of steps failed");
      yield new FeedEnd(error);
    } finally {
      this.#close();
    }
  }

  #requireOpen(): void {
    if (Date.now() >= this.#request.expiresAt * 1000)
      throw new DomainError("TOKEN_EXPIRED", { detail: "The token has expired.", after: this.#sequence });
    if (this.#isEnding)
      throw new DomainError("UNAVAILABLE", {
        detail: "The platform ended the subscription. Subscribe again after the last sequence.",
        after: this.#sequence,
      });
  }

  #nextStep(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#woken || this.#closed) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, this.#pollIntervalMs()).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The token's end is told when it comes. */
  #pollIntervalMs(): number {
    const leftMs = this.#request.expiresAt * 1000 - Date.now();
    return Math.min(this.#source.pollIntervalMs ?? defaultPollIntervalMs, Math.max(leftMs, 0));
  }

  #wakeUp(): void {
    this.#woken = true;
    this.#wake?.();
  }

  #close(): void {
    this.#closed = true;
    this.#unsubscribe();
    this.#wakeUp();
  }
}
