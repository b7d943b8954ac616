import type pg from "pg";
import { type Drained, DrainLoop } from "../db/drain-loop.js";
import { Listener } from "../db/listener.js";
import { openPool } from "../db/pool.js";
import { Retention } from "../db/retention.js";
import { isUnavailable } from "../errors/unavailable.js";
import type { Message } from "../outbox/envelope.js";
import type { Logger } from "../telemetry/logger.js";
import { type Bus, type BusConsumer, type BusMessage, type MessageConsumer, UnreadableMessage } from "./bus.js";

const channel = "bus_messages";
const publishLock = 4_000_004;
const consumerLock = 4_000_005;
const batchSize = 200;
const retryDelaysMs = [100, 1000, 5000, 30_000];
const outageDelayMs = 5000;

/** PostgreSQL takes payloads below 8000 bytes. */
const longestNotification = 7000;
/** What was handled may be handled again: its place need not have reached the disk. */
const begin = "begin; set local synchronous_commit = off";

/** There is a message for the consumer, or a stride of others' to pass. */
const work = {
  name: "bus_work",
  text: `select (select max(position) from bus.messages) - consumer.position >= $4 or exists (
      select from bus.messages
      where position > consumer.position and envelope->>'messagekind' = $2 and ($3::text[] is null or type = any($3)))
    as work from bus.consumers consumer where name = $1`,
};

/** Of either kind: the statement that reads for it keeps the kinds apart. */
type Consumer = MessageConsumer<Message> & Pick<BusConsumer, "kind" | "types">;
type Read = BusMessage<Message>;

/** A batch that threw: its messages come one by one, up to its last. */
interface Failure {
  readonly position: string;
  readonly attempts: number;
  readonly notBefore: number;
  readonly upTo: string;
}

/** The bus in PostgreSQL: a log table, positions per consumer, dead letters beside it. */
export class PostgresBus implements Bus {
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #retention: Retention;
  readonly #logger: Logger;
  readonly #loops: DrainLoop[] = [];
  readonly #failures = new Map<string, Failure>();

  private constructor(url: string, logger: Logger) {
    this.#pool = openPool(url, 6, logger);
    this.#listener = new Listener(url, logger);
    this.#retention = new Retention(url, logger, [
      {
        table: "bus.messages",
        expired: `published_at < now() - interval '7 days'
          and position <= (select min(position) from bus.consumers)`,
        order: "published_at",
      },
    ]);
    this.#logger = logger;
  }

  static async open(url: string, logger: Logger): Promise<PostgresBus> {
    const bus = new PostgresBus(url, logger);
    await bus.#listener.start();
    return bus;
  }

  /** The lock makes positions ascend in commit order, so a consumer that has passed one never misses a lower one. */
  async publish(messages: readonly Message[]): Promise<void> {
    await this.#pool.query(
      `with turn as materialized (select pg_advisory_xact_lock($2)),
       inserted as (
         insert into bus.messages (event_id, type, envelope)
         select envelope->>'id', envelope->>'type', envelope
         from turn, unnest($1::jsonb[]) with ordinality as message(envelope, place) order by place
         on conflict (event_id) do nothing)
       select pg_notify('${channel}', $3)`,
      [messages.map((envelope) => JSON.stringify(envelope)), publishLock, typesOf(messages)],
    );
  }

  async subscribe(consumer: BusConsumer): Promise<() => Promise<void>> {
    await this.#pool.query("insert into bus.consumers (name, position) values ($1, 0) on conflict do nothing", [
      consumer.group,
    ]);
    const loop = new DrainLoop(() => this.#drain(consumer), this.#logger);
    this.#loops.push(loop);
    await this.#listener.on(channel, (types) => {
      if (mayConcern(consumer, types)) loop.wake();
    });
    loop.wake();
    return () => loop.stop();
  }

  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#retention.stop();
    await this.#listener.close();
    await this.#pool.end();
  }

  async #drain(consumer: Consumer): Promise<Drained> {
    const failure = this.#failures.get(consumer.group);
    if (failure && failure.notBefore > Date.now()) return "empty";
    if (!(await this.#hasWork(consumer))) return "empty";
    const client = await this.#pool.connect();
    let open = true;
    try {
      await client.query(begin);
      const { rows: turn } = await client.query<{ won: boolean }>(
        "select pg_try_advisory_xact_lock($1, hashtext($2)) as won",
        [consumerLock, consumer.group],
      );
      if (!turn[0]?.won) return "empty";
      const limit = failure ? 1 : batchSize;
      const { messages, position } = await read(client, consumer, limit);
      if (position === undefined) return "empty";
      const handled = await this.#handle(consumer, messages, client);
      if (handled) {
        await client.query("update bus.consumers set position = $2, updated_at = now() where name = $1", [
          consumer.group,
          position,
        ]);
        await client.query("commit");
        open = false;
      }
      const waits = (this.#failures.get(consumer.group)?.notBefore ?? 0) > Date.now();
      return !waits && (!handled || messages.length === limit) ? "more" : "empty";
    } finally {
      if (open) await client.query("rollback").catch(() => undefined);
      client.release();
    }
  }

  /** One look before a transaction is opened: most wake-ups of most consumers are for others. */
  async #hasWork({ group, kind = "event", types }: Consumer): Promise<boolean> {
    const { rows } = await this.#pool.query<{ work: boolean }>({
      ...work,
      values: [group, kind, types ?? null, batchSize],
    });
    return rows[0]?.work ?? false;
  }

  /** False: not handled and not parked yet; the position stays. */
  async #handle(consumer: Consumer, messages: readonly Read[], client: pg.PoolClient): Promise<boolean> {
    const [first] = messages;
    if (!first) return true;
    const { group } = consumer;
    const before = this.#failures.get(group);
    const upTo = before?.upTo ?? messages.at(-1)?.position ?? first.position;
    try {
      await consumer.handle(messages);
    } catch (error) {
      const attempts = before?.position === first.position ? before.attempts + 1 : 1;
      this.#logger.warn(
        { err: error, consumer: group, messageId: first.envelope.id, attempts },
        "message not consumed",
      );
      const delay = messages.length > 1 ? 0 : delayAfter(attempts, error);
      if (delay !== undefined) {
        const notBefore = Date.now() + delay;
        this.#failures.set(group, { position: first.position, attempts: delay === 0 ? 0 : attempts, notBefore, upTo });
        return false;
      }
      await client.query(
        "insert into bus.dead_letters (consumer, position, envelope, error) values ($1, $2, $3, $4) on conflict do nothing",
        [group, first.position, JSON.stringify(first.envelope), String(error)],
      );
    }
    if (before && Number(first.position) < Number(upTo)) this.#failures.set(group, { ...before, notBefore: 0 });
    else this.#failures.delete(group);
    return true;
  }
}

/** The next messages for a consumer, and where it stands once it has them; undefined: where it stood. */
async function read(client: pg.PoolClient, { group, kind = "event", types }: Consumer, limit: number) {
  const { rows: ends } = await client.query<{ from: string; end: string }>(
    `select position as from, coalesce((select max(position) from bus.messages), position) as end
     from bus.consumers where name = $1`,
    [group],
  );
  const { from = "0", end = "0" } = ends[0] ?? {};
  const { rows: messages } = await client.query<Read>(
    `select position, envelope from bus.messages
     where position > $1 and position <= $2 and envelope->>'messagekind' = $3
       and ($4::text[] is null or type = any($4)) order by position limit $5`,
    [from, end, kind, types ?? null, limit],
  );
  // what is for others is passed in strides: else it would be read again each time, and never be forgotten
  const passed = Number(end) - Number(from) < batchSize ? undefined : end;
  return { messages, position: messages.at(-1)?.position ?? passed };
}

/** What a wake-up says: the types that were published, unless they are too many for a notification. */
function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ type }) => type))].join(" ");
  return types.length > longestNotification ? "" : types;
}

function mayConcern({ types }: Consumer, published: string | undefined): boolean {
  if (!types || !published) return true;
  const woken = published.split(" ");
  return types.some((type) => woken.includes(type));
}

/** Undefined: nothing would change. */
function delayAfter(attempts: number, error: unknown): number | undefined {
  if (error instanceof UnreadableMessage) return undefined;
  return retryDelaysMs[attempts - 1] ?? (isUnavailable(error) ? outageDelayMs : undefined);
}
