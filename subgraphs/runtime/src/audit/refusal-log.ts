import type { BusPublisher } from "../bus/bus.js";
import type { AuditRecord } from "../messages/audit-record.js";
import type { Refusal, RefusalSink } from "../messages/refusal.js";
import type { Logger } from "../telemetry/logger.js";
import { RefusalCounts, type RefusalLimits } from "./refusal-counts.js";

/** A refusal log's settings. */
interface RefusalLogSettings {
  /** Is used for nothing else, so that a flood of refusals takes no connection from the relays. */
  readonly publisher: BusPublisher;
  readonly logger: Logger;
  readonly limits?: RefusalLimits;
  /** Refusals are published at most so long after they were noted. */
  readonly windowMs?: number;
  /** The time for the last publication when the log stops. */
  readonly patienceMs?: number;
}

const defaultLimits: RefusalLimits = { maxPerTenant: 100, maxTotal: 1000 };
const defaultWindowMs = 1000;
const defaultPatienceMs = 3000;
const batchSize = 200;

/**
 * Publishes refusals as audit records, in batches outside the requests. The last second's refusals are lost when the
 * process is killed. While the bus does not answer, one batch waits, and equal refusals after it are counted together,
 * so the memory is bounded by the limits.
 */
export class RefusalLog implements RefusalSink {
  readonly #settings: RefusalLogSettings;
  readonly #counts: RefusalCounts;
  readonly #windowMs: number;
  #batch: AuditRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> | undefined;
  #dropped = 0;
  #stopped = false;

  constructor(settings: RefusalLogSettings) {
    this.#settings = settings;
    this.#counts = new RefusalCounts(settings.limits ?? defaultLimits);
    this.#windowMs = settings.windowMs ?? defaultWindowMs;
  }

  /** How many refusals were counted without their details, or lost at a stop. */
  get dropped(): number {
    return this.#dropped;
  }

  note(refusal: Refusal): void {
    if (this.#stopped || !this.#counts.add(refusal)) this.#dropped += 1;
    this.#schedule();
  }

  /** Publishes what is left. The log waits no longer than its patience, and drops the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const { patienceMs = defaultPatienceMs, logger } = this.#settings;
    let tooLate: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      tooLate = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.#publishAll(), patience]);
    clearTimeout(tooLate);
    const lostCount = [...this.#batch, ...this.#counts.take()].reduce((sum, { count = 1 }) => sum + count, 0);
    this.#dropped += lostCount;
    if (lostCount > 0) logger.warn({ refusals: lostCount }, "refusals were not written to the audit log");
  }

  #schedule(): void {
    if (this.#timer || this.#publishing || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#publishing = this.#publish().finally(() => {
        this.#publishing = undefined;
        if (this.#batch.length > 0 || !this.#counts.empty) this.#schedule();
      });
    }, this.#windowMs).unref();
  }

  async #publishAll(): Promise<void> {
    await this.#publishing;
    await this.#publish();
    if (!this.#counts.empty) await this.#publish();
  }

  async #publish(): Promise<void> {
    if (this.#batch.length === 0) this.#batch = this.#counts.take();
    try {
      while (this.#batch.length > 0) {
        await this.#settings.publisher.publish(this.#batch.slice(0, batchSize));
        this.#batch = this.#batch.slice(batchSize);
      }
    } catch (error) {
      this.#settings.logger.debug({ err: error }, "refusals wait until the bus answers");
    }
  }
}
