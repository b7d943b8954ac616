import type pg from "pg";
import type { BusPublisher } from "../bus/bus.js";
import { type Drained, DrainLoop } from "../db/drain-loop.js";
import type { Listener } from "../db/listener.js";
import { openPool } from "../db/pool.js";
import type { Logger } from "../telemetry/logger.js";
import type { Message } from "./envelope.js";

const batchSize = 200;
const leaderLock = 4_000_003;
/** What was published may be published again: the mark need not have reached the disk. */
const begin = "begin; set local synchronous_commit = off";
const anythingWaits = {
  name: "outbox_waits",
  text: "select exists (select from outbox where published_at is null) as waits",
};

/**
 * Publishes the outbox of one schema in commit order, at least once. A row is ready when its transaction lies below the
 * oldest one still running: sequence order is not commit order, and `id > last` would lose rows that commit late.
 */
export class OutboxRelay {
  readonly #pool: pg.Pool;
  readonly #bus: BusPublisher;
  readonly #schema: string;
  readonly #loop: DrainLoop;

  constructor(options: { workerUrl: string; schema: string; bus: BusPublisher; logger: Logger }) {
    this.#pool = openPool(options.workerUrl, 1, options.logger);
    this.#bus = options.bus;
    this.#schema = options.schema;
    this.#loop = new DrainLoop(() => this.#drain(), options.logger);
  }

  /** Something was written that waits now. */
  wake(): void {
    this.#loop.wake();
  }

  async start(listener: Listener): Promise<void> {
    await listener.on(`${this.#schema}_outbox`, () => this.#loop.wake());
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#pool.end();
  }

  async #drain(): Promise<Drained> {
    const { rows: waiting } = await this.#pool.query<{ waits: boolean }>(anythingWaits);
    if (!waiting[0]?.waits) return "empty";
    const client = await this.#pool.connect();
    let open = true;
    try {
      await client.query(begin);
      const { rows: leader } = await client.query<{ won: boolean }>(
        "select pg_try_advisory_xact_lock($1, hashtext($2)) as won",
        [leaderLock, this.#schema],
      );
      // whoever leads may have looked before what woke this one was committed
      if (!leader[0]?.won) return "soon";
      const { rows } = await client.query<{ id: string; envelope: Message; ready: boolean }>(
        `select id, envelope, txid < pg_snapshot_xmin(pg_current_snapshot()) as ready
         from outbox where published_at is null order by txid, seq limit $1`,
        [batchSize],
      );
      const ready = rows.filter((row) => row.ready);
      if (ready.length === 0) return rows.length === 0 ? "empty" : "soon";
      await this.#bus.publish(ready.map(({ envelope }) => envelope));
      await client.query("update outbox set published_at = now() where id = any($1)", [ready.map(({ id }) => id)]);
      await client.query("commit");
      open = false;
      if (ready.length < rows.length) return "soon";
      return rows.length === batchSize ? "more" : "empty";
    } finally {
      // frees the lock
      if (open) await client.query("rollback").catch(() => undefined);
      client.release();
    }
  }
}
