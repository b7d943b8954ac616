import type pg from "pg";
import type { Backlog, WaitingWork } from "../backlogs/waiting-work.js";
import { Listener } from "../connections/listener.js";
import { openPool } from "../connections/pool.js";
import { advisoryLocks } from "../db/advisory-locks.js";
import { Turns } from "../db/leader-election.js";
import { Retention } from "../db/retention.js";
import type { Message } from "../messages/envelope.js";
import type { Logger } from "../telemetry/logger.js";
import type { Bus, BusConsumer, BusPublisher, BusSessions, OutboxStatement } from "./bus.js";
import { busChannel, maxNotificationLength } from "./bus-channel.js";
import { busRetention } from "./bus-retention.js";
import { unreadMessages } from "./consumer-backlog.js";
import { ConsumerGroup } from "./consumer-group.js";
import { BusDeadLetters } from "./dead-letters.js";
import { type BusPauses, defaultPauses } from "./failure.js";
import { isSameDatabase, outboxMove } from "./outbox-move.js";

const publishing = 3;
const consuming = 4;
const aliveEveryMs = 600_000;
/** Positions are committed asynchronously, since delivery is at least once anyway. */
const asynchronousCommit = "-c synchronous_commit=off";

export interface PostgresBusOptions {
  /** Dead letters are kept for so many days. */
  readonly deadLetterDays?: number | undefined;
  readonly pauses?: BusPauses;
}

/**
 * The bus on PostgreSQL: a log table, a position for each consumer group, held messages and dead letters. A group that no
 * process has run for 7 days does not keep messages from being deleted.
 */
export class PostgresBus implements Bus, Backlog {
  readonly deadLetters: BusDeadLetters;
  readonly #url: string;
  readonly #publishers: pg.Pool;
  readonly #consumers: pg.Pool;
  readonly #turns: Turns;
  readonly #listener: Listener;
  readonly #retention: Retention;
  readonly #logger: Logger;
  readonly #pauses: BusPauses;
  readonly #groups = new Map<ConsumerGroup, BusConsumer>();
  readonly #alive: NodeJS.Timeout;

  private constructor(
    url: string,
    logger: Logger,
    { deadLetterDays = 30, pauses = defaultPauses }: PostgresBusOptions,
  ) {
    this.#url = url;
    this.#publishers = openPool(url, publishing, logger);
    this.#consumers = openPool(url, consuming, logger, { options: asynchronousCommit });
    this.#turns = new Turns(url, logger);
    this.#listener = new Listener(url, logger);
    this.#retention = new Retention(url, logger, busRetention(deadLetterDays));
    this.#logger = logger;
    this.#pauses = pauses;
    this.#alive = setInterval(() => void this.#stayAlive(), aliveEveryMs).unref();
    this.deadLetters = new BusDeadLetters(this.#publishers);
  }

  static async open(url: string, logger: Logger, options: PostgresBusOptions = {}): Promise<PostgresBus> {
    const bus = new PostgresBus(url, logger, options);
    await bus.#listener.start();
    // After the whole platform stopped for long, its groups would look removed, so they are marked before retention
    // runs.
    await bus.#publishers.query(
      `update bus.consumers set updated_at = now()
       where (select max(updated_at) from bus.consumers) < now() - interval '1 day'`,
    );
    return bus;
  }

  /** Connections for short background statements. They commit asynchronously, so a crash can lose the last ones. */
  get background(): pg.Pool {
    return this.#consumers;
  }

  publish(messages: readonly Message[]): Promise<void> {
    return publishThrough(this.#publishers, messages);
  }

  outboxMove(workerUrl: string): OutboxStatement | undefined {
    return isSameDatabase(this.#url, workerUrl) ? outboxMove : undefined;
  }

  sessions(workerUrl: string): BusSessions | undefined {
    return isSameDatabase(this.#url, workerUrl) ? { listener: this.#listener, turns: this.#turns } : undefined;
  }

  /** A publisher with its own connection. It commits asynchronously, so a crash can lose the last messages. */
  ownPublisher(): BusPublisher & { close(): Promise<void> } {
    const pool = openPool(this.#url, 1, this.#logger, { options: asynchronousCommit });
    return { publish: (messages) => publishThrough(pool, messages), close: () => pool.end() };
  }

  async subscribe(consumer: BusConsumer): Promise<() => Promise<void>> {
    await this.#publishers.query(
      `insert into bus.consumers as known (name, position) values ($1, 0)
       on conflict (name) do update set updated_at = now()`,
      [consumer.group],
    );
    const turn = this.#turns.of("consumer", consumer.group);
    const groupOptions = { pool: this.#consumers, logger: this.#logger, pauses: this.#pauses };
    const group = new ConsumerGroup({ ...groupOptions, consumer, turn });
    this.#groups.set(group, consumer);
    await this.#listener.on(busChannel, (types) => group.wake(types));
    group.start();
    return async () => {
      this.#groups.delete(group);
      await group.stop();
    };
  }

  /** The messages that this process's groups have not read yet. */
  waiting(): Promise<WaitingWork[]> {
    return unreadMessages(this.#publishers, [...this.#groups.values()]);
  }

  async close(): Promise<void> {
    clearInterval(this.#alive);
    await Promise.all([...this.#groups.keys()].map((group) => group.stop()));
    await this.#retention.stop();
    await this.#turns.close();
    await this.#listener.close();
    await Promise.all([this.#publishers.end(), this.#consumers.end()]);
  }

  /** Marks all groups in this process as running, also those without messages. */
  async #stayAlive(): Promise<void> {
    await this.#consumers
      .query("update bus.consumers set updated_at = now() where name = any($1)", [
        [...this.#groups.values()].map(({ group }) => group),
      ])
      .catch((error: unknown) =>
        this.#logger.debug({ err: error }, "the consumer groups could not be marked as running"),
      );
  }
}

/**
 * The lock makes positions ascend in commit order. Otherwise a consumer could skip a lower position that is committed
 * later.
 */
async function publishThrough(pool: pg.Pool, messages: readonly Message[]): Promise<void> {
  await pool.query(
    `with turn as materialized (select pg_advisory_xact_lock($2)),
     inserted as (
       insert into bus.messages (event_id, type, envelope)
       select envelope->>'id', envelope->>'type', envelope
       from turn, unnest($1::json[]) with ordinality as message(envelope, place) order by place
       on conflict (event_id) do nothing)
     select pg_notify('${busChannel}', $3)`,
    [messages.map((envelope) => JSON.stringify(envelope)), advisoryLocks.busPublication, typesOf(messages)],
  );
}

/** A wake-up's payload: the published types, or nothing when they are too many for a notification. */
function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ type }) => type))].join(" ");
  return types.length > maxNotificationLength ? "" : types;
}
