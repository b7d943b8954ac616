import { PipelinedClient } from "../connections/pipelined-client.js";
import type { Logger } from "../telemetry/logger.js";
import { advisoryLocks } from "./advisory-locks.js";

const timeoutMs = 5000;
const lostPauseMs = 1000;
/**
 * With these settings the server notices within about 11 s that the client machine is gone. It notices a dead process
 * at once.
 */
const noticeAbsence = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";

const turnKinds = { relay: advisoryLocks.outboxRelay, consumer: advisoryLocks.busConsumer } as const;
type TurnKind = keyof typeof turnKinds;

/**
 * Leader election among processes: session-level advisory locks over one separate connection. A turn ends with that
 * connection, and so with the process. A turn can be lost at any moment, so the work behind it must stay correct when two
 * processes do it for a short time.
 */
export class Turns {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #holders = new Map<string, Turn>();
  #connecting: Promise<PipelinedClient> | undefined;
  #client: PipelinedClient | undefined;
  #closed = false;

  constructor(url: string, logger: Logger) {
    this.#url = url;
    this.#logger = logger;
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
    const { rows } = await client.query<{ won: boolean }>("select pg_try_advisory_lock($1, hashtext($2)) as won", [
      ...turn.lock,
    ]);
    if (rows[0]?.won && client === this.#client) this.#holders.set(turn.key, turn);
    return this.holds(turn);
  }

  async give(turn: Turn): Promise<void> {
    if (!this.holds(turn)) return;
    this.#holders.delete(turn.key);
    await this.#client?.query("select pg_advisory_unlock($1, hashtext($2))", [...turn.lock]);
  }

  /** Gives all turns back. */
  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#connecting?.catch(() => undefined);
    this.#lost(client);
    await client?.end().catch(() => undefined);
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
      options: noticeAbsence,
    });
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

/** The turn of this process for one name. */
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
    const taken = await this.#taking;
    this.#notBefore = taken ? 0 : performance.now() + lostPauseMs;
    return taken;
  }

  /** Gives the turn back, so that another process can take it. */
  async give(): Promise<void> {
    this.#notBefore = performance.now() + lostPauseMs;
    await this.#turns.give(this);
  }
}
