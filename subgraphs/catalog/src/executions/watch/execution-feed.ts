import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { executionStates } from "../record/execution.states.js";
import { type ExecutionStep, readSteps } from "../record/execution-steps.js";
import type { ExecutionWatch } from "./execution-watch.js";

/** The services that a feed reads from. */
export interface ExecutionFeedSource {
  readonly reader: TenantReader;
  readonly watch: ExecutionWatch;
  readonly logger: Logger;
}

interface FeedRequest {
  readonly tenant: Tenant;
  readonly executionId: string;
  /** True when the execution is final, so that no further steps will follow. */
  readonly hasEnded: boolean;
  readonly after: number;
  /** The expiry of the token, in epoch seconds. */
  readonly expiresAt: number;
}

/** A step, or the reason why the feed ended. */
export type ExecutionFeedItem = (ExecutionStep & { executionId: string }) | FeedEnd;

/** The interval of reads without a notification, since one can be lost with its connection. */
const pollIntervalMs = 5000;

/** Iterates over the stored and future steps of one execution after a given one. Ends after the final step. */
export class ExecutionFeed implements AsyncIterableIterator<ExecutionFeedItem> {
  readonly #source: ExecutionFeedSource;
  readonly #request: FeedRequest;
  readonly #uuid: string;
  readonly #items: AsyncGenerator<ExecutionFeedItem, void, undefined>;
  readonly #unsubscribe: () => void;
  #sequence: number;
  #isEnding = false;
  #closed = false;
  #woken = false;
  #wake: (() => void) | undefined;

  constructor(source: ExecutionFeedSource, request: FeedRequest) {
    this.#source = source;
    this.#request = request;
    this.#uuid = decodeId("exe", request.executionId) ?? "";
    this.#sequence = request.after;
    this.#unsubscribe = source.watch.subscribe(this.#uuid, () => this.#wakeUp());
    this.#items = this.#run();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ExecutionFeedItem>> {
    return this.#items.next();
  }

  return(): Promise<IteratorResult<ExecutionFeedItem>> {
    this.#close();
    return this.#items.return();
  }

  /** Asks the feed to end: its next item tells the sequence after which to subscribe again. */
  end(): void {
    this.#isEnding = true;
    this.#wakeUp();
  }

  async *#run(): AsyncGenerator<ExecutionFeedItem, void, undefined> {
    const { tenant, executionId, hasEnded } = this.#request;
    try {
      while (!this.#closed) {
        this.#woken = false;
        const steps = await readSteps(this.#source.reader, tenant, { executionId: this.#uuid, after: this.#sequence });
        for (const step of steps) {
          this.#requireOpen();
          this.#sequence = step.sequence;
          yield { ...step, executionId };
          if (executionStates[step.status].next.length === 0) return;
        }
        if (steps.length === 0) {
          if (hasEnded) return;
          await this.#nextStep();
        }
        this.#requireOpen();
      }
    } catch (error) {
      if (!(error instanceof DomainError)) this.#source.logger.error({ err: error }, "the feed of an execution failed");
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
