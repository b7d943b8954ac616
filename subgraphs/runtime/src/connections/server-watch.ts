import { DatabaseUnavailable, isWriteOutage } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";
import { onceSocketsAreRead } from "./loop-time.js";
import { ProbeConnection } from "./probe-connection.js";
import { type ProbePauses, WriteProbe } from "./write-probe.js";

const tickMs = 250;
const askEveryMs = 1000;
const silenceMs = 2000;

/** SQLSTATE `cannot_connect_now`: the server is starting, recovering or stopping. */
const cannotConnectNow = "57P03";

/** A part of the process that holds connections to a watched server. */
export interface ServerClient {
  /** The server counts as frozen: waiting work must fail with this reason, and its connections must be destroyed. */
  abandon(reason: DatabaseUnavailable): void;
  /**
   * Called at the start and four times a second with the time in which the event loop has turned, so that work that has
   * waited too long is refused.
   */
  sweep(clockMs: number): void;
}

/**
 * Probes one server once a second over a separate connection, for all pools of this process. A server that has not
 * answered for 2 s counts as frozen. Time counts only while the event loop turns, and an answer in the socket is read
 * before the verdict, so a stall of this process does not count as a frozen server.
 */
export class ServerWatch {
  static readonly #watches = new Map<string, ServerWatch>();

  readonly #key: string;
  readonly #url: string;
  readonly #logger: Logger;
  readonly #clients = new Set<ServerClient>();
  #connection: ProbeConnection | undefined;
  #writes: WriteProbe | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #sinceMs = askEveryMs;
  #frozen: DatabaseUnavailable | undefined;
  #answers = true;
  #silentMs = 0;
  #clockMs = 0;
  #giveUp: { afterMs: number; tell: () => void } | undefined;

  private constructor(key: string, url: string, logger: Logger) {
    this.#key = key;
    this.#url = url;
    this.#logger = logger;
  }

  /** The shared watch of a server; the role and schema in the URL do not matter. */
  static of(url: string, logger: Logger): ServerWatch {
    const { host, pathname, searchParams } = new URL(url);
    const key = `${searchParams.get("host") ?? host}${pathname}`;
    const known = ServerWatch.#watches.get(key);
    if (known) return known;
    const made = new ServerWatch(key, url, logger);
    ServerWatch.#watches.set(key, made);
    return made;
  }

  /** Adds a client and returns a function that removes it. The watch runs while it has clients. */
  join(client: ServerClient): () => void {
    this.#clients.add(client);
    client.sweep(this.#clockMs);
    this.#timer ??= this.#start();
    return () => {
      if (!this.#clients.delete(client) || this.#clients.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#connection?.destroy();
      this.#writes?.stop();
      ServerWatch.#watches.delete(this.#key);
    };
  }

  /** Also probes writes, with the URL of a role that may write `health.writes`. */
  watchWrites(workerUrl: string, pauses?: ProbePauses): void {
    this.#writes ??= new WriteProbe(workerUrl, this.#logger, pauses);
  }

  /** The reason to refuse work while the server is frozen; undefined otherwise. */
  get refusal(): DatabaseUnavailable | undefined {
    return this.#frozen;
  }

  /** The time in which the event loop has turned, in steps of 250 ms. */
  get clockMs(): number {
    return this.#clockMs;
  }

  get answers(): boolean {
    return this.#answers;
  }

  get writes(): boolean {
    return this.#writes?.succeeds ?? true;
  }

  /** Reports the failure of a statement. */
  note(error: unknown): void {
    if (isWriteOutage(error)) this.#writes?.doubt();
  }

  /** Resolves after this time without any sign of life of the server. A running recovery is a sign of life. */
  silentFor(afterMs: number): Promise<void> {
    return new Promise((tell) => {
      this.#giveUp = { afterMs, tell };
    });
  }

  #start(): NodeJS.Timeout {
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      this.#tick(Math.min(now - last, 2 * tickMs));
      last = now;
    }, tickMs);
    return timer.unref();
  }

  #tick(passedMs: number): void {
    this.#clockMs += passedMs;
    for (const client of this.#clients) client.sweep(this.#clockMs);
    this.#sinceMs += passedMs;
    this.#silentMs += passedMs;
    if (this.#giveUp && !this.#answers && this.#silentMs > this.#giveUp.afterMs) this.#giveUp.tell();
    if (!this.#asking && this.#sinceMs >= askEveryMs) this.#ask();
    else if (this.#asking && this.#sinceMs >= silenceMs) onceSocketsAreRead(() => this.#judge());
  }

  #ask(): void {
    this.#asking = true;
    this.#sinceMs = 0;
    this.#connection ??= new ProbeConnection(this.#url);
    this.#connection.ask("select").then(
      () => this.#answered(),
      (error: unknown) => this.#failed(error),
    );
  }

  #answered(): void {
    this.#asking = false;
    this.#silentMs = 0;
    if (!this.#answers) this.#logger.warn("the database answers again");
    this.#answers = true;
    this.#frozen = undefined;
  }

  #failed(error: unknown): void {
    this.#asking = false;
    this.#connection?.destroy();
    this.#connection = undefined;
    if ((error as { code?: unknown }).code === cannotConnectNow) this.#silentMs = 0;
    if (this.#answers && this.#timer) this.#logger.warn({ err: error }, "the database does not answer");
    this.#answers = false;
    // A server that refuses connections answers everybody at once. Only a silent server keeps requests waiting.
    if (error instanceof DatabaseUnavailable) this.#freeze();
    else this.#frozen = undefined;
  }

  #judge(): void {
    if (this.#asking && this.#sinceMs >= silenceMs) this.#freeze();
  }

  #freeze(): void {
    if (this.#frozen || !this.#timer) return;
    const reason = new DatabaseUnavailable("Lost", "The database does not answer");
    this.#frozen = reason;
    this.#connection?.destroy(reason);
    for (const client of this.#clients) client.abandon(reason);
  }
}
