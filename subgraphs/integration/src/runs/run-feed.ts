import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { readSteps } from "./read-run.js";
import { isFinal } from "./run.states.js";
import { type RunStep, runUuid } from "./run-record.js";
import type { RunWatch } from "./run-watch.js";

/** The services that a feed reads from. */
interface RunFeedSource {
  readonly reader: TenantReader;
  readonly watch: RunWatch;
  readonly logger: Logger;
}

interface FeedRequest {
  readonly tenant: Tenant;
  readonly runId: string;
  readonly after: number;
  /** The expiry of the token, in epoch seconds. */
  readonly expiresAt: number;
}

/** A step, or the reason why the feed ended. */
export type RunFeedItem = (RunStep & { readonly runId: string }) | FeedEnd;

/** The interval of reads without a notification, since one can be lost with its connection. */
const pollIntervalMs = 5000;

/** Iterates over the steps of one run after a given one, stored and future. Ends after the final step. */
export class RunFeed implements AsyncIterableIterator<RunFeedItem> {
  readonly #source: RunFeedSource;
  readonly #request: FeedRequest;
  readonly #items: AsyncGenerator<RunFeedItem, void, undefined>;
  readonly #unsubscribe: () => void;
  #sequence: number;
  #isEnding = false;
  #closed = false;
  #woken = false;
  #wake: (() => void) | undefined;

  constructor(source: RunFeedSource, request: FeedRequest) {
    this.#source = source;
    this.#request = request;
    this.#sequence = request.after;
    this.#unsubscribe = source.watch.subscribe(runUuid(request.runId), () => this.#wakeUp());
    this.#items = this.#run();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<RunFeedItem>> {
    return this.#items.next();
  }

  return(): Promise<IteratorResult<RunFeedItem>> {
    this.#close();
    return this.#items.return();
  }

  /** Asks the feed to end: its next item tells the sequence after which to subscribe again. */
  end(): void {
    this.#isEnding = true;
    this.#wakeUp();
  }

  async *#run(): AsyncGenerator<RunFeedItem, void, undefined> {
    const { tenant, runId } = this.#request;
    try {
      while (!this.#closed) {
        this.#woken = false;
        const steps = await readSteps(this.#source.reader, tenant, runId);
        for (const step of steps.filter(({ sequence }) => sequence > this.#sequence)) {
          this.#requireOpen();
          this.#sequence = step.sequence;
          yield { ...step, runId };
        }
        const last = steps.at(-1);
        if (!last || isFinal(last.status)) return;
        await this.#nextStep();
        this.#requireOpen();
      }
    } catch (error) {
      if (!(error instanceof DomainError)) this.#source.logger.error({ err: error }, "the feed of a run failed");
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
      const timer = setTimeout(resolve, pollIntervalMs).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
