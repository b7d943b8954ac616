import { setImmediate as nextTurn } from "node:timers/promises";
import type { Notifications } from "@factory/runtime/connections/listener";
import { type Drained, DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { eventLogChannel } from "../event-log/event-log.service.js";
import type { LoggedEvent } from "../event-log/logged-event.js";
import { newestPosition, readEventsAfter } from "../event-log/read-event-log.js";

/** A listener must not throw and must not wait, because all other listeners come after it. */
type EventListener = (event: LoggedEvent) => void;

const batchSize = 500;
/** With more tenants their list costs more than the events that it leaves out. */
const maxTenantsNamed = 100;
// The events that are delivered at once. The limits are far below one subscriber's limits.
const burst = { events: 64, bytes: 128 * 1024 };

/** Reads new events once per process and delivers them to each tenant's listeners. */
export class EventHub {
  readonly #pool: Pool;
  readonly #loop: DrainLoop;
  readonly #listeners = new Map<string, Set<EventListener>>();
  #position = 0;

  constructor(workerPool: Pool, logger: Logger) {
    this.#pool = workerPool;
    this.#loop = new DrainLoop("event subscriptions", () => this.#drain(), logger);
  }

  /** All tenants' events up to this position are delivered. */
  get position(): number {
    return this.#position;
  }

  async start(listener: Notifications): Promise<void> {
    this.#position = await newestPosition(this.#pool);
    await listener.on(eventLogChannel, () => this.#loop.wake());
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The listener gets this tenant's events only. Returns the function that detaches it. */
  attach(tenantUuid: string, listener: EventListener): () => void {
    const listeners = this.#listeners.get(tenantUuid) ?? new Set();
    this.#listeners.set(tenantUuid, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(tenantUuid);
    };
  }

  /**
   * It also passes events without listeners, because the position for a listener that attaches later begins there.
   * After each burst the listeners get time to work, so that a large batch alone never makes a subscriber lag.
   */
  async #drain(): Promise<Drained> {
    const tenants = [...this.#listeners.keys()];
    const namedTenants = tenants.length > maxTenantsNamed ? undefined : tenants;
    const events = await readEventsAfter(this.#pool, this.#position, batchSize, namedTenants);
    let total = { events: 0, bytes: 0 };
    for (const { position, tenantUuid, event } of events) {
      // A listener has attached during the read, which has left its events out.
      if (!event && this.#listeners.has(tenantUuid)) return "more";
      if (event) {
        total = { events: total.events + 1, bytes: total.bytes + event.bytes };
        if (total.events > burst.events || total.bytes > burst.bytes) {
          await nextTurn();
          total = { events: 1, bytes: event.bytes };
        }
      }
      this.#position = position;
      if (event) for (const listener of this.#listeners.get(tenantUuid) ?? []) listener(event);
    }
    return events.length === batchSize ? "more" : "empty";
  }
}
