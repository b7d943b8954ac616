import { setImmediate as nextTurn } from "node:timers/promises";
import type { Listener } from "@factory/runtime/connections/listener";
import { type Drained, DrainLoop } from "@factory/runtime/db/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { eventLogChannel } from "../event-log/event-log.service.js";
import type { LoggedEvent } from "../event-log/logged-event.js";
import { newestPosition, readEventsAfter } from "../event-log/read-event-log.js";

/** Must not throw and must not wait: one slow listener would hold up all others. */
export type EventListener = (event: LoggedEvent) => void;

const batchSize = 500;
// handed out at once: well under what one subscriber may leave untaken
const burst = { events: 64, bytes: 128 * 1024 };

/** Reads new events once per process, however many subscribers there are, and hands them out by tenant. */
export class EventHub {
  readonly #pool: Pool;
  readonly #loop: DrainLoop;
  readonly #listeners = new Map<string, Set<EventListener>>();
  #position = 0;

  constructor(workerPool: Pool, logger: Logger) {
    this.#pool = workerPool;
    this.#loop = new DrainLoop(() => this.#drain(), logger);
  }

  /** Everything up to here, of all tenants, was handed out already. */
  get position(): number {
    return this.#position;
  }

  async start(listener: Listener): Promise<void> {
    this.#position = await newestPosition(this.#pool);
    await listener.on(eventLogChannel, () => this.#loop.wake());
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** `tenantUuid` alone decides what the listener sees. Returns how to leave. */
  attach(tenantUuid: string, listener: EventListener): () => void {
    const listeners = this.#listeners.get(tenantUuid) ?? new Set();
    this.#listeners.set(tenantUuid, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(tenantUuid);
    };
  }

  /**
   * Reads also when nobody listens: who attaches during a read must not miss what that read skips. Between bursts the
   * listeners get a turn: nobody lags only because a batch is large.
   */
  async #drain(): Promise<Drained> {
    const events = await readEventsAfter(this.#pool, this.#position, batchSize);
    let given = { events: 0, bytes: 0 };
    for (const { position, event } of events) {
      given = { events: given.events + 1, bytes: given.bytes + event.bytes };
      if (given.events > burst.events || given.bytes > burst.bytes) {
        await nextTurn();
        given = { events: 1, bytes: event.bytes };
      }
      this.#position = position;
      for (const listener of this.#listeners.get(event.tenantUuid) ?? []) listener(event);
    }
    return events.length === batchSize ? "more" : "empty";
  }
}
