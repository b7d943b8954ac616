import type pg from "pg";
import type { BusPublisher, OutboxMove, OutboxStatement } from "../bus/bus.js";
import type { Notifications } from "../connections/listener.js";
import { openPool } from "../connections/pool.js";
import type { Turn, Turns } from "../db/leader-election.js";
import { type Drained, DrainLoop } from "../loops/drain-loop.js";
import type { Message } from "../messages/envelope.js";
import type { Logger } from "../telemetry/logger.js";

const batchSize = 200;
const warnEveryMs = 30_000;
/** The mark is committed asynchronously, since messages are published at least once anyway. */
const asynchronousCommit = "-c synchronous_commit=off";

/** A message that has waited for so long makes the relay log a warning. */
export const relayLagLimitSeconds = 5;

const waiting = {
  name: "outbox_waiting",
  text: "select id, envelope from outbox where published_at is null order by seq limit $1",
};
const mark = {
  name: "outbox_mark",
  text: "update outbox set published_at = now() where id = any($1)",
};
const oldest = {
  name: "outbox_oldest",
  text: `select envelope->>'time' as time, case when $1 then pg_notify(current_schema() || '_outbox', '') end
    from outbox where published_at is null order by seq limit 1`,
};

/** A relay's state, for the operator. */
export interface RelayLag {
  /** How old the oldest message is that is committed and not published, or 0 if every message is published. */
  lagSeconds(): number;
}

/**
 * Publishes one schema's outbox at least once: committed messages that are not marked as published, in `seq` order. A
 * message that is committed late is published late, and nothing waits for an open transaction. Messages about one
 * aggregate keep their order because the aggregate's row is locked before its message is written. One process at a time
 * publishes; the other processes notify it about new messages.
 */
export class OutboxRelay implements RelayLag {
  readonly #pool: pg.Pool;
  readonly #bus: BusPublisher;
  readonly #move: OutboxStatement | undefined;
  readonly #schema: string;
  readonly #logger: Logger;
  readonly #turn: Turn;
  readonly #loop: DrainLoop;
  #written = false;
  #oldestAt: number | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { workerUrl: string; schema: string; bus: BusPublisher; turns: Turns; logger: Logger }) {
    this.#pool = openPool(options.workerUrl, 1, options.logger, { options: asynchronousCommit });
    this.#bus = options.bus;
    this.#move = options.bus.outboxMove?.(options.workerUrl);
    this.#schema = options.schema;
    this.#logger = options.logger;
    this.#turn = options.turns.of("relay", options.schema);
    this.#loop = new DrainLoop(`relay ${options.schema}`, () => this.#drain(), options.logger);
  }

  /** Reports that a message was written. */
  wake(): void {
    this.#written = true;
    this.#loop.wake();
  }

  async start(listener: Notifications): Promise<void> {
    await listener.on(`${this.#schema}_outbox`, () => this.#loop.wake());
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#turn.give().catch(() => undefined);
    await this.#pool.end();
  }

  lagSeconds(): number {
    return this.#oldestAt === undefined ? 0 : Math.max(0, (Date.now() - this.#oldestAt) / 1000);
  }

  async #drain(): Promise<Drained> {
    try {
      if (!(await this.#turn.take())) return await this.#watch();
      return this.#move ? await this.#moveAll(this.#move) : await this.#publish();
    } catch (error) {
      // Another process may be able to reach what this one cannot.
      await this.#turn.give().catch(() => undefined);
      throw error;
    } finally {
      this.#report();
    }
  }

  /** Where the bus is in the outbox's database. */
  async #moveAll(move: OutboxStatement): Promise<Drained> {
    this.#written = false;
    try {
      const { rows } = await this.#pool.query<OutboxMove>({ ...move, values: [batchSize] });
      const { count = 0, last = null } = rows[0] ?? {};
      const more = count === batchSize;
      this.#oldestAt = more ? timeOf(last ?? undefined) : undefined;
      return more ? "more" : "empty";
    } catch (error) {
      await this.#watch().catch(() => undefined);
      throw error;
    }
  }

  async #publish(): Promise<Drained> {
    this.#written = false;
    const { rows } = await this.#pool.query<{ id: string; envelope: Message }>({ ...waiting, values: [batchSize] });
    this.#oldestAt = timeOf(rows[0]?.envelope.time);
    if (rows.length === 0) return "empty";
    if (!this.#turn.held) return "more";
    await this.#bus.publish(rows.map(({ envelope }) => envelope));
    await this.#pool.query({ ...mark, values: [rows.map(({ id }) => id)] });
    const more = rows.length === batchSize;
    // The remaining messages are about as old as the last one that was published.
    this.#oldestAt = more ? timeOf(rows.at(-1)?.envelope.time) : undefined;
    return more ? "more" : "empty";
  }

  /** Looks at the outbox while another process publishes. */
  async #watch(): Promise<Drained> {
    const tell = this.#written;
    this.#written = false;
    const { rows } = await this.#pool.query<{ time: string }>({ ...oldest, values: [tell] });
    this.#oldestAt = timeOf(rows[0]?.time);
    return "empty";
  }

  #report(): void {
    const lagSeconds = Math.round(this.lagSeconds());
    if (lagSeconds <= relayLagLimitSeconds || performance.now() < this.#warnedAt + warnEveryMs) return;
    this.#warnedAt = performance.now();
    this.#logger.warn({ schema: this.#schema, lagSeconds }, "messages wait in the outbox for too long");
  }
}

const timeOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
