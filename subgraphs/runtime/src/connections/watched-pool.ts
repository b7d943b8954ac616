import pg from "pg";
import { DatabaseUnavailable } from "../errors/database-failure.js";
import { DomainError } from "../errors/domain-error.js";
import type { Logger } from "../telemetry/logger.js";
import type { Abandonable } from "../tenancy/request-context.js";
import { BoundedClient } from "./bounded-client.js";
import { ElasticLimit } from "./elastic-limit.js";
import { type ServerClient, ServerWatch } from "./server-watch.js";

type Taker = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/** The longest wait for a free connection. */
const patienceMs = 2000;

export interface WatchedPoolConfig extends pg.PoolConfig {
  /** How long a request waits for a connection in use before it gets another one (ms). Without it, it gets one at once. */
  readonly growAfterMs?: number | undefined;
}

/**
 * A pool that does not wait for a frozen server. Once the server counts as frozen, waiting requests fail at once,
 * connections in use are destroyed, and no connection is given out until the server answers again.
 */
export class WatchedPool extends pg.Pool implements ServerClient {
  readonly watch: ServerWatch;
  readonly #leave: () => void;
  readonly #taken = new Set<pg.PoolClient>();
  readonly #idle = new Set<pg.PoolClient>();
  /** The callers of running statements that can be given up. */
  readonly #callers = new Map<pg.PoolClient, Abandonable>();
  /** Waiting requests with the time at which each began to wait. */
  readonly #waiting = new Map<Taker, number>();
  readonly #limit: ElasticLimit | undefined;

  constructor(url: string, logger: Logger, { growAfterMs, ...options }: WatchedPoolConfig) {
    super({ connectionString: url, Client: BoundedClient, ...options });
    if (growAfterMs !== undefined) this.#limit = new ElasticLimit(this.options.max, growAfterMs, () => this.#open());
    this.watch = ServerWatch.of(url, logger);
    this.#leave = this.watch.join(this);
    this.on("acquire", (client) => {
      this.#idle.delete(client);
      this.#taken.add(client);
    });
    this.on("release", (error, client) => {
      this.watch.note(error);
      this.#taken.delete(client);
      this.#idle.add(client);
      // pg-pool adds the connection to its idle ones after this event
      if (this.#limit) process.nextTick(() => this.#limit?.leave());
    });
    this.on("remove", (client) => this.#idle.delete(client));
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
   * Runs one statement. When its caller has gone the connection is closed, and the server ends the statement within a
   * second (`client_connection_check_interval` of the role).
   */
  async read<R extends pg.QueryResultRow>(query: pg.QueryConfig, caller?: Abandonable): Promise<pg.QueryResult<R>> {
    if (!caller) return this.query<R>(query);
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
  override end(ended?: () => void): Promise<void> | undefined {
    // A frozen server would not confirm the end of a connection.
    if (this.watch.refusal) for (const client of this.#idle) client.connection.stream.destroy();
    this.#leave();
    if (ended === undefined) return super.end();
    super.end(ended);
    return undefined;
  }

  abandon(reason: DatabaseUnavailable): void {
    for (const admitted of this.#waiting.keys()) admitted(reason, undefined, nothing);
    for (const client of this.#taken) client.connection.stream.destroy(reason);
  }

  sweep(clockMs: number): void {
    for (const [client, { aborted }] of this.#callers) if (aborted) client.connection.stream.destroy(gone());
    // Requests wait in their order of arrival.
    for (const [admitted, sinceMs] of this.#waiting) {
      if (clockMs - sinceMs <= patienceMs) return;
      const reason = this.#taken.size < this.options.max ? unmade() : crowded();
      admitted(reason, undefined, nothing);
    }
  }

  #take(taker: Taker): void {
    const { refusal } = this.watch;
    if (refusal) {
      process.nextTick(taker, refusal, undefined, nothing);
      return;
    }
    const admitted: Taker = (error, client, release) => {
      // The request was refused meanwhile and does not need the connection.
      if (this.#waiting.delete(admitted)) taker(error, client, release);
      else client?.release();
    };
    this.#waiting.set(admitted, this.watch.clockMs);
    if (this.#limit) this.#limit.enter(() => this.#connect(admitted));
    else super.connect(admitted);
  }

  #open(): void {
    super.connect((error, _client, release) => {
      if (error) this.#limit?.leave();
      else release();
    });
  }

  #connect(admitted: Taker): void {
    if (!this.#waiting.has(admitted)) this.#limit?.leave();
    else
      super.connect((error, client, release) => {
        // the release of a connection ends the other admissions
        if (error) this.#limit?.leave();
        admitted(error, client, release);
      });
  }
}

const nothing = () => undefined;
const gone = () => new DomainError("REQUEST_TIMEOUT", { detail: "The caller has closed the connection." });
const unmade = () => new DatabaseUnavailable("Lost", "No connection could be made in time");
const crowded = () => new DatabaseUnavailable("Crowded", "No connection became free in time");
