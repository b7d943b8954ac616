import { randomUUID } from "node:crypto";
import { PipelinedClient } from "../connections/pipelined-client.js";
import { ServerWatch } from "../connections/server-watch.js";
import { watchSession } from "../connections/watch-session.js";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";
import { advisoryLocks } from "./advisory-locks.js";

const timeoutMs = 5000;
const lostPauseMs = 1000;
const renewMs = 4000;
/** A turn that was not renewed for so long is free, also while the server still holds its session's lock. */
const lapsedSeconds = 15;
/**
 * With these settings the server notices within about 11 s that the client machine is gone. It notices a dead process
 * at once.
 */
const noticeAbsence = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";
/** A turn that was lost in a server crash is taken again. */
const asynchronousCommit = "-c synchronous_commit=off";

const turnKinds = { relay: advisoryLocks.outboxRelay, consumer: advisoryLocks.busConsumer } as const;
type TurnKind = keyof typeof turnKinds;

/**
 * A session's lock tells at once that a process has died. It does not tell that a session went silent, so the turn's
 * row is the truth. A turn is taken over with the lock from a holder that had it, or when the row has lapsed. Then the
 * lock may be held by the silent session that the row names, and by no other one: releases without rows have only the
 * lock.
 */
const take = {
  name: "turn_take",
  text: `with tried as materialized (select pg_try_advisory_lock($1, hashtext($2)) as locked),
    free as (
      select tried.locked, case when tried.locked then pg_backend_pid() else turn.session end as session
      from tried left join bus.turns turn on turn.name = $3
      where case
        when turn.name is null then tried.locked
        when tried.locked then turn.locked or turn.lapses_at < now() or turn.holder = $4
        else (turn.lapses_at < now() or turn.holder = $4) and exists (
          select from pg_locks lock where lock.locktype = 'advisory' and lock.granted and lock.pid = turn.session
            and lock.classid::bigint = $1 and lock.objid::bigint = (hashtext($2)::bigint & 4294967295)) end),
    taken as (
      insert into bus.turns as turn (name, holder, locked, session, lapses_at)
      select $3, $4, free.locked, free.session, now() + interval '${lapsedSeconds} s' from free
      on conflict (name) do update
        set holder = excluded.holder, locked = excluded.locked, session = excluded.session,
          lapses_at = excluded.lapses_at
        where turn.lapses_at < now() or turn.holder = excluded.holder or (excluded.locked and turn.locked)
      returning name)
    select exists (select from taken) as won, tried.locked from tried`,
};

const renew = {
  name: "turn_renew",
  text: `update bus.turns set lapses_at = now() + interval '${lapsedSeconds} s'
    where holder = $1 and name = any($2) returning name`,
};

// the row stays, since the lock may still be held by a session that went silent
const give = {
  name: "turn_give",
  text: `with given as (update bus.turns set lapses_at = '-infinity' where name = $3 and holder = $4)
    select pg_advisory_unlock($1, hashtext($2))`,
};

/**
 * Leader election among processes. A turn ends with its holder's separate connection, and so with the process, or 15 s
 * after that connection went silent. A turn can be lost at any moment, so the work behind it must stay correct when two
 * processes do it for a short time.
 */
export class Turns {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #holder = randomUUID();
  readonly #holders = new Map<string, Turn>();
  readonly #renewals: PeriodicLoop;
  #connecting: Promise<PipelinedClient> | undefined;
  #client: PipelinedClient | undefined;
  #closed = false;

  constructor(url: string, logger: Logger) {
    this.#url = url;
    this.#logger = logger;
    this.#renewals = new PeriodicLoop({
      name: `turns ${new URL(url).username}`,
      periodMs: renewMs,
      logger,
      failure: "the turns of this process were not renewed",
    });
    this.#renewals.start(() => this.#renew());
  }

  of(kind: TurnKind, name: string): Turn {
    return new Turn(this, kind, name);
  }

  holds(turn: Turn): boolean {
    return this.#client !== undefined && this.#holders.get(turn.key) === turn;
  }

  async take(turn: Turn): Promise<boolean> {
    // The server would grant the same lock to one session twice.
    if (this.#holders.has(turn.key)) return this.holds(turn);
    const client = await this.#connected();
    const { rows } = await client.query<{ won: boolean; locked: boolean }>({ ...take, values: this.#valuesOf(turn) });
    if (rows[0]?.won && client === this.#client) this.#holders.set(turn.key, turn);
    else if (rows[0]?.locked) await client.query("select pg_advisory_unlock($1, hashtext($2))", [...turn.lock]);
    return this.holds(turn);
  }

  async give(turn: Turn): Promise<void> {
    if (!this.holds(turn)) return;
    this.#holders.delete(turn.key);
    await this.#client?.query({ ...give, values: this.#valuesOf(turn) });
  }

  /** Gives all turns back. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#renewals.stop();
    const holders = [...this.#holders.values()];
    await Promise.all(holders.map((turn) => this.give(turn))).catch(() => undefined);
    const client = await this.#connecting?.catch(() => undefined);
    this.#lost(client);
    await client?.end().catch(() => undefined);
  }

  #valuesOf(turn: Turn): unknown[] {
    return [...turn.lock, turn.key, this.#holder];
  }

  /** A renewal that is not answered loses the connection, and with it all turns. */
  async #renew(): Promise<void> {
    const client = this.#client;
    if (!client || this.#holders.size === 0) return;
    try {
      const names = [...this.#holders.keys()];
      const { rows } = await client.query<{ name: string }>({ ...renew, values: [this.#holder, names] });
      const renewedNames = new Set(rows.map(({ name }) => name));
      const lostNames = names.filter((name) => !renewedNames.has(name) && this.#holders.has(name));
      // a session cannot keep one lock and lose another one, so it ends
      if (lostNames.length > 0) throw new Error(`Other processes have taken these turns: ${lostNames.join(", ")}`);
    } catch (error) {
      client.connection.stream.destroy();
      this.#lost(client);
      throw error;
    }
  }

  #connected(): Promise<PipelinedClient> {
    if (this.#closed) throw new Error("The turns of this process are closed");
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<PipelinedClient> {
    // Several turns may be requested at once, so the client pipelines.
    const client = new PipelinedClient({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      options: `${noticeAbsence} ${asynchronousCommit}`,
    });
    watchSession(client, ServerWatch.of(this.#url, this.#logger), this.#url);
    client.on("error", (error) => {
      this.#logger.debug({ error: error.message }, "the connection that holds the turns was lost");
      this.#lost(client);
    });
    client.once("end", () => this.#lost(client));
    await client.connect();
    this.#client = client;
    return client;
  }

  #lost(client: PipelinedClient | undefined): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#connecting = undefined;
    this.#holders.clear();
  }
}

/** This process's turn for one name. */
export class Turn {
  readonly key: string;
  readonly lock: readonly [number, string];
  readonly #turns: Turns;
  #notBefore = 0;
  #taking: Promise<boolean> | undefined;

  constructor(turns: Turns, kind: TurnKind, name: string) {
    this.#turns = turns;
    this.lock = [turnKinds[kind], name];
    this.key = `${kind} ${name}`;
  }

  /** Whether this process has the turn. Check it before each step that only one process should do. */
  get held(): boolean {
    return this.#turns.holds(this);
  }

  /**
   * Tries to take the turn and returns whether this process has it. While another process has it, the server is asked
   * once a second.
   */
  async take(): Promise<boolean> {
    if (this.held) return true;
    if (performance.now() < this.#notBefore) return false;
    // Two requests at once would take the lock twice in one session.
    this.#taking ??= this.#turns.take(this).finally(() => {
      this.#taking = undefined;
    });
    const isTaken = await this.#taking;
    this.#notBefore = isTaken ? 0 : performance.now() + lostPauseMs;
    return isTaken;
  }

  /** Gives the turn back, so that another process can take it. */
  async give(): Promise<void> {
    this.#notBefore = performance.now() + lostPauseMs;
    await this.#turns.give(this);
  }
}
