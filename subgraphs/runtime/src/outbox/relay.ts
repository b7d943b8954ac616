import type pg from "pg";
import type { BusPublisher } from "../bus/bus.js";
import type { Listener } from "../connections/listener.js";
import { openPool } from "../connections/pool.js";
import { type Drained, DrainLoop } from "../db/drain-loop.js";
import { type Turn, Turns } from "../db/turns.js";
import type { Message } from "../messages/envelope.js";
import type { Logger } from "../telemetry/logger.js";

const batchSize = 200;
const warnEveryMs = 30_000;
/** What was published may be published again: the mark need not have reached the disk. */
const unhurried = "-c synchronous_commit=off";

/** Older than this, what waits is reported. */
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

/** What an operator is told about a relay. */
export interface RelayLag {
  /** Age of the oldest message that is committed and unpublished; 0 when there is none. */
  lagSeconds(): number;
}

/**
 * Publishes the outbox of one schema, at least once: what is committed and unpublished, in order of `seq`. Rows are
 * marked and never passed, so a row that is committed late is published late, and nothing waits for a transaction that
 * is still open. Messages of one aggregate keep their order because its row is locked before its outbox row is written.
 * One process at a time publishes; the others watch, and tell it what they wrote.
 */
export class OutboxRelay implements RelayLag {
  readonly #pool: pg.Pool;
  readonly #bus: BusPublisher;
  readonly #schema: string;
  readonly #logger: Logger;
  readonly #turns: Turns;
  readonly #turn: Turn;
  readonly #loop: DrainLoop;
  #written = false;
  #oldestAt: number | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { workerUrl: string; schema: string; bus: BusPublisher; logger: Logger }) {
    this.#pool = openPool(options.workerUrl, 1, options.logger, { options: unhurried });
    this.#bus = options.bus;
    this.#schema = options.schema;
    this.#logger = options.logger;
    this.#turns = new Turns(options.workerUrl, options.logger);
    this.#turn = this.#turns.of("relay", options.schema);
    this.#loop = new DrainLoop(() => this.#drain(), options.logger);
  }

  /** Something was written that waits now. */
  wake(): void {
    this.#written = true;
    this.#loop.wake();
  }

  async start(listener: Listener): Promise<void> {
    await listener.on(`${this.#schema}_outbox`, () => this.#loop.wake());
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#turns.close();
    await this.#pool.end();
  }

  lagSeconds(): number {
    return this.#oldestAt === undefined ? 0 : Math.max(0, (Date.now() - this.#oldestAt) / 1000);
  }

  async #drain(): Promise<Drained> {
    try {
      return (await this.#turn.take()) ? await this.#publish() : await this.#watch();
    } catch (error) {
      // another process may reach what this one does not
      await this.#turn.give().catch(() => undefined);
      throw error;
    } finally {
      this.#report();
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
    // what is left is about as old as the last of what is gone
    this.#oldestAt = more ? timeOf(rows.at(-1)?.envelope.time) : undefined;
    return more ? "more" : "empty";
  }

  /** Another process publishes. */
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
