import type pg from "pg";
import { type Drained, DrainLoop } from "../db/drain-loop.js";
import { Listener } from "../db/listener.js";
import { openPool } from "../db/pool.js";
import { Retention } from "../db/retention.js";
import type { Envelope } from "../outbox/envelope.js";
import type { Logger } from "../telemetry/logger.js";
import type { Bus, BusConsumer, BusMessage } from "./bus.js";

const channel = "bus_messages";
const publishLock = 4_000_004;
const consumerLock = 4_000_005;
const batchSize = 200;
const retryDelaysMs = [100, 1000, 5000, 30_000];

/** The bus in PostgreSQL: a log table, positions per consumer, dead letters beside it. */
export class PostgresBus implements Bus {
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #retention: Retention;
  readonly #logger: Logger;
  readonly #loops: DrainLoop[] = [];
  readonly #failures = new Map<string, { position: string; attempts: number; notBefore: number }>();

  private constructor(url: string, logger: Logger) {
    this.#pool = openPool(url, 6, logger);
    this.#listener = new Listener(url, logger);
    this.#retention = new Retention(url, logger, [
      `delete from bus.messages where published_at < now() - interval '7 days'
         and position <= (select min(position) from bus.consumers)`,
    ]);
    this.#logger = logger;
  }

  static async open(url: string, logger: Logger): Promise<PostgresBus> {
    const bus = new PostgresBus(url, logger);
    await bus.#listener.start();
    return bus;
  }

  /** The lock makes positions ascend in commit order, so a consumer that has passed one never misses a lower one. */
  async publish(envelopes: readonly Envelope[]): Promise<void> {
    await this.#pool.query(
      `with turn as materialized (select pg_advisory_xact_lock($2)),
       inserted as (
         insert into bus.messages (event_id, type, envelope)
         select envelope->>'id', envelope->>'type', envelope
         from turn, unnest($1::jsonb[]) with ordinality as message(envelope, place) order by place
         on conflict (event_id) do nothing)
       select pg_notify('${channel}', '')`,
      [envelopes.map((envelope) => JSON.stringify(envelope)), publishLock],
    );
  }

  async subscribe(consumer: BusConsumer): Promise<() => Promise<void>> {
    await this.#pool.query("insert into bus.consumers (name, position) values ($1, 0) on conflict do nothing", [
      consumer.group,
    ]);
    const loop = new DrainLoop(() => this.#drain(consumer), this.#logger);
    this.#loops.push(loop);
    await this.#listener.on(channel, () => loop.wake());
    loop.wake();
    return () => loop.stop();
  }

  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#retention.stop();
    await this.#listener.close();
    await this.#pool.end();
  }

  async #drain(consumer: BusConsumer): Promise<Drained> {
    const failure = this.#failures.get(consumer.group);
    if (failure && failure.notBefore > Date.now()) return "empty";
    const client = await this.#pool.connect();
    try {
      await client.query("begin");
      const { rows: turn } = await client.query<{ won: boolean }>(
        "select pg_try_advisory_xact_lock($1, hashtext($2)) as won",
        [consumerLock, consumer.group],
      );
      if (!turn[0]?.won) return "empty";
      const { rows } = await client.query<BusMessage>(
        `select message.position, message.envelope from bus.messages message
         where message.position > (select position from bus.consumers where name = $1)
           and ($2::text[] is null or message.type = any($2)) order by message.position limit $3`,
        [consumer.group, consumer.types ?? null, failure ? 1 : batchSize],
      );
      const last = rows.at(-1);
      if (!last) return "empty";
      const handled = await this.#handle(consumer, rows, client);
      if (handled) {
        await client.query("update bus.consumers set position = $2, updated_at = now() where name = $1", [
          consumer.group,
          last.position,
        ]);
        await client.query("commit");
      }
      return handled && (failure || rows.length === batchSize) ? "more" : "empty";
    } finally {
      await client.query("rollback").catch(() => undefined);
      client.release();
    }
  }

  /** False: not handled and not parked yet; the position stays. */
  async #handle(consumer: BusConsumer, messages: readonly BusMessage[], client: pg.PoolClient): Promise<boolean> {
    try {
      await consumer.handle(messages);
      this.#failures.delete(consumer.group);
      return true;
    } catch (error) {
      const first = messages[0];
      if (!first) return true;
      const before = this.#failures.get(consumer.group);
      const attempts = before?.position === first.position ? before.attempts + 1 : 1;
      const delay = retryDelaysMs[attempts - 1];
      this.#logger.warn(
        { err: error, consumer: consumer.group, eventId: first.envelope.id, attempts },
        "event not consumed",
      );
      if (delay !== undefined || messages.length > 1) {
        this.#failures.set(consumer.group, {
          position: first.position,
          attempts,
          notBefore: Date.now() + (delay ?? 0),
        });
        return false;
      }
      this.#failures.delete(consumer.group);
      await client.query(
        "insert into bus.dead_letters (consumer, position, envelope, error) values ($1, $2, $3, $4) on conflict do nothing",
        [consumer.group, first.position, JSON.stringify(first.envelope), String(error)],
      );
      return true;
    }
  }
}
