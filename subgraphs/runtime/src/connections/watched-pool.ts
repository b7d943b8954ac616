import type { Socket } from "node:net";
import pg from "pg";
import { BoundedClient } from "../clients/bounded-client.js";
import { connectionPatience } from "../clients/connection-patience.js";
import { DatabaseUnavailable, isForgotten, isReadOnly } from "../errors/database-failure.js";
import { DomainError } from "../errors/domain-error.js";
import type { Logger } from "../telemetry/logger.js";
import type { Abandonable } from "../tenancy/request-context.js";
import { ElasticLimit } from "./elastic-limit.js";
import { type ServerClient, ServerWatch } from "./server-watch.js";

/** The pool's clients have this class. */
type WatchedClient = pg.PoolClient & BoundedClient;
type Taker = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** The longest time in which a connection in use brings nothing. Request statements end after 15 s. */
const usualSilenceMs = 30_000;

export interface WatchedPoolConfig extends pg.PoolConfig {
  /** How long a request waits for a connection in use before it gets another one (ms). Without it, it gets one at once. */
  readonly growAfterMs?: number | undefined;
  /** How long a connection in use may bring nothing before it is closed (ms). The default is 30 s. */
  readonly silenceMs?: number | undefined;
}

/** One pool's connections. */
interface PoolUsage {
  readonly role: string;
  readonly limit: number;
  readonly open: number;
  readonly inUse: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/**
 * A pool that does not wait for a frozen server. Once the server counts as frozen, waiting requests fail at once,
 * connections are destroyed, and no connection is given out until the server answers again. A connection that may lead
 * to a replaced server is not given out again.
 */
export class WatchedPool extends pg.Pool implements ServerClient {
  static readonly #pools = new Set<WatchedPool>();
  readonly watch: ServerWatch;
  readonly #url: string;
  readonly #leave: () => void;
  readonly #taken = new Set<pg.PoolClient>();
  readonly #idle = new Set<pg.PoolClient>();
  /** Callers whose running statements can be given up. */
  readonly #callers = new Map<pg.PoolClient, Abandonable>();
  /** Waiting requests with the time at which each began to wait. */
  readonly #waiting = new Map<Taker, number>();
  readonly #limit: ElasticLimit | undefined;
  readonly #logger: Logger;
  readonly #silenceMs: number;
  /** For each connection in use: how many bytes it has received, and when the last ones came. */
  readonly #heard = new Map<pg.PoolClient, { readonly bytes: number; readonly sinceMs: number }>();
  /** Connections made before are not given out again. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, logger: Logger, { growAfterMs, silenceMs, ...options }: WatchedPoolConfig) {
    super({ connectionString: url, Client: BoundedClient, ...options });
    this.#logger = logger;
    this.#silenceMs = silenceMs ?? usualSilenceMs;
    if (growAfterMs !== undefined) this.#limit = new ElasticLimit(this.options.max, growAfterMs, () => this.#open());
    this.#url = url;
    this.watch = ServerWatch.of(url, logger);
    this.#leave = this.watch.join(this);
    WatchedPool.#pools.add(this);
    this.on("connect", (client) => {
      (client as WatchedClient).onSpent = (answer) => this.#spent(answer);
    });
    this.on("acquire", (client) => {
      this.#idle.delete(client);
      this.#taken.add(client);
    });
    this.on("release", (error, client) => {
      this.watch.note(error);
      this.#taken.delete(client);
      this.#heard.delete(client);
      this.#idle.add(client);
      // pg-pool adds the connection to its idle ones after this event
      if (this.#limit) process.nextTick(() => this.#limit?.leave());
    });
    this.on("remove", (client) => this.#idle.delete(client));
  }

  /** How each pool in this process uses its connections. */
  static usage(): PoolUsage[] {
    return [...WatchedPool.#pools].map((pool) => ({
      role: new URL(pool.#url).username,
      limit: pool.options.max,
      open: pool.totalCount,
      inUse: pool.#taken.size,
      waiting: pool.#waiting.size,
    }));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taker: Taker): void;
  override connect(taker?: Taker): Promise<pg.PoolClient> | undefined {
    if (taker === undefined)
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error ?? new Error("No connection"))));
      });
    this.#take(taker);
    return undefined;
  }

  /**
   * Runs one statement. A prepared one runs again on a new connection when the server does not know it: then it did not
   * run. So a proxy that changes the server, or that discards the session, costs nothing.
   */
  override query = ((...parts: Parameters<pg.Pool["query"]>) => {
    const once = () => super.query(...parts) as unknown as Promise<unknown>;
    return typeof parts.at(-1) === "function" ? once() : onceMore(once);
  }) as pg.Pool["query"];

  /**
   * Runs one statement as `query` does. When its caller has gone the connection is closed, and the server ends the
   * statement within a second (the role's `client_connection_check_interval`).
   */
  async read<R extends pg.QueryResultRow>(query: pg.QueryConfig, caller?: Abandonable): Promise<pg.QueryResult<R>> {
    return caller ? onceMore(() => this.#read<R>(query, caller)) : this.query<R>(query);
  }

  async #read<R extends pg.QueryResultRow>(query: pg.QueryConfig, caller: Abandonable): Promise<pg.QueryResult<R>> {
    const client = await this.connect();
    let failure: Error | undefined;
    this.#callers.set(client, caller);
    try {
      return await client.query<R>(query);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      this.#callers.delete(client);
      client.release(failure);
    }
  }

  override end(): Promise<void>;
  override end(ended: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    // A frozen server would not confirm that a connection ends.
    if (this.watch.refusal) for (const client of this.#idle) client.connection.stream.destroy();
    this.#leave();
    WatchedPool.#pools.delete(this);
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  abandon(reason: DatabaseUnavailable): void {
    for (const taker of this.#waiting.keys()) taker(reason, undefined, nothing);
    // The server may never answer again, while its address leads to another one.
    for (const client of [...this.#taken, ...this.#idle]) client.connection.stream.destroy(reason);
  }

  renew(madeBefore: number, reason?: DatabaseUnavailable): void {
    this.#renewedAt = Math.max(this.#renewedAt, madeBefore);
    for (const client of [...this.#idle, ...(reason ? this.#taken : [])])
      if (!this.#fits(client)) client.connection.stream.destroy(reason);
  }

  sweep(clockMs: number): void {
    for (const [client, { aborted }] of this.#callers) if (aborted) client.connection.stream.destroy(callerGone());
    this.#closeSilent(clockMs);
    // The oldest request comes first.
    for (const [taker, sinceMs] of this.#waiting) {
      if (clockMs - sinceMs <= connectionPatience.ms) return;
      const reason = this.#taken.size < this.options.max ? unmade() : crowdedPool();
      taker(reason, undefined, nothing);
    }
  }

  /** A connection can be dead while the server answers others, for example when a proxy has forgotten it. */
  #closeSilent(clockMs: number): void {
    for (const client of this.#taken) {
      const { stream } = client.connection;
      const bytes = (stream as Socket).bytesRead;
      const heard = this.#heard.get(client);
      if (heard?.bytes !== bytes) this.#heard.set(client, { bytes, sinceMs: clockMs });
      else if (clockMs - heard.sinceMs > this.#silenceMs && !stream.destroyed) {
        this.#logger.warn({ silenceMs: this.#silenceMs }, "a database connection in use was silent and is closed");
        stream.destroy(silent());
      }
    }
  }

  #take(taker: Taker): void {
    const { refusal } = this.watch;
    if (refusal) {
      process.nextTick(taker, refusal, undefined, nothing);
      return;
    }
    const admit: Taker = (error, client) => {
      if (error) this.watch.note(error, this.#url);
      if (client) this.#keepFit(client);
      // The request was refused meanwhile and does not need the connection.
      if (!this.#waiting.has(admit)) client?.release();
      else if (client && !this.#fits(client)) {
        client.release();
        this.#request(admit);
      } else {
        this.#waiting.delete(admit);
        taker(error, client, client ? (failure) => client.release(failure) : nothing);
      }
    };
    this.#waiting.set(admit, this.watch.clockMs);
    this.#request(admit);
  }

  #request(taker: Taker): void {
    if (this.#limit) this.#limit.enter(() => this.#connect(taker));
    else super.connect(taker);
  }

  /** A connection that must not be used again is closed when it is released. */
  #keepFit(client: pg.PoolClient): void {
    const release = client.release.bind(client);
    client.release = (failure) => release(failure || !this.#fits(client));
  }

  #fits(client: pg.PoolClient): boolean {
    const { spent, madeAt } = client as WatchedClient;
    return !spent && madeAt >= this.#renewedAt;
  }

  /** The other connections may lead to the same replaced server. */
  #spent(answer: Error): void {
    this.watch.note(answer);
    if (isForgotten(answer) || isReadOnly(answer)) this.renew(performance.now());
  }

  #open(): void {
    super.connect((error, _client, release) => {
      if (error) this.#limit?.leave();
      else release();
    });
  }

  #connect(taker: Taker): void {
    if (!this.#waiting.has(taker)) this.#limit?.leave();
    else
      super.connect((error, client, release) => {
        // releasing a connection ends the other admissions
        if (error) this.#limit?.leave();
        taker(error, client, release);
      });
  }
}

async function onceMore<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (!isForgotten(error)) throw error;
    return statement();
  }
}

const nothing = () => undefined;
const callerGone = () => new DomainError("REQUEST_TIMEOUT", { detail: "The caller has closed the connection." });
const unmade = () => new DatabaseUnavailable("Lost", "No connection could be made in time");
const silent = () => new DatabaseUnavailable("Lost", "The connection did not answer in time");
const crowdedPool = () => new DatabaseUnavailable("Crowded", "No connection became free in time");
