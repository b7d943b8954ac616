import { PipelinedClient } from "../connections/pipelined-client.js";
import type { Logger } from "../telemetry/logger.js";
import { advisoryLocks } from "./advisory-locks.js";

const timeoutMs = 5000;
const lostPauseMs = 1000;
/** The server notices within about 11 s that the machine at the other end is gone; that a process is gone, at once. */
const noticeAbsence = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";

const turnKinds = { relay: advisoryLocks.outboxRelay, consumer: advisoryLocks.busConsumer } as const;
type TurnKind = keyof typeof turnKinds;

/**
 * Turns among processes: session-level advisory locks over one connection of their own. They end with that connection,
 * hence with the process, and are never waited for inside a transaction. A turn can be lost at any moment, so the work
 * behind it must stay right when two processes do it for a short while.
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
    // the server would give one session the same lock twice
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

  /** Gives all of them. */
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
    // several turns are asked for at once
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

/** One of them. */
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

  /** To be asked before each step that should be done once. */
  get held(): boolean {
    return this.#turns.holds(this);
  }

  /** Whether it is ours now. While another process has it the server is asked once a second. */
  async take(): Promise<boolean> {
    if (this.held) return true;
    if (performance.now() < this.#notBefore) return false;
    // two questions at once would be two locks of one session
    this.#taking ??= this.#turns.take(this).finally(() => {
      this.#taking = undefined;
    });
    const taken = await this.#taking;
    this.#notBefore = taken ? 0 : performance.now() + lostPauseMs;
    return taken;
  }

  /** For another process to try. */
  async give(): Promise<void> {
    this.#notBefore = performance.now() + lostPauseMs;
    await this.#turns.give(this);
  }
}
