import { onceSocketsAreRead } from "../clients/loop-time.js";
import {
  DatabaseUnavailable,
  databaseFailure,
  isLoginRefused,
  isReadOnly,
  isWriteOutage,
} from "../errors/database-failure.js";
import { systemErrorCode } from "../errors/system-error.js";
import type { Logger } from "../telemetry/logger.js";
import { ProbeConnection } from "./probe-connection.js";
import { RefusedLogins } from "./refused-logins.js";
import { type ProbePauses, WriteProbe } from "./write-probe.js";

const tickMs = 250;
const askEveryMs = 1000;
const silenceMs = 2000;

/** SQLSTATE `cannot_connect_now`: the server is starting, recovering or stopping. */
const cannotConnectNow = "57P03";

/** Anything in the process that holds connections to a watched server. */
export interface ServerClient {
  /** The server counts as frozen: waiting work must fail with this reason, and its connections must be destroyed. */
  abandon(reason: DatabaseUnavailable): void;
  /**
   * Called at the start and four times a second with the time in which the event loop has turned, so that work that has
   * waited too long is refused.
   */
  sweep(clockMs: number): void;
  /**
   * The server's address may lead to another server now: connections made before this time (`performance.now`) must not
   * be used again. With a reason they are destroyed at once, otherwise when their running work has ended.
   */
  renew?(madeBefore: number, reason?: DatabaseUnavailable): void;
}

/** A standby and a server that was demoted in place answer `on`. */
const question = "show transaction_read_only";

/**
 * Probes one server once a second over a separate connection, for all pools of this process. A server that has not
 * answered for 2 s counts as frozen. Time counts only while the event loop turns, and an answer in the socket is read
 * before the verdict, so a stalled process does not make a server look frozen.
 *
 * A failover can leave connections to a server that became read-only, while the address leads to the new primary. So when
 * a probe or a statement meets a read-only server, a fresh probe connection decides: either all connections are
 * destroyed and the server counts as read-only, or connections older than the fresh one are replaced.
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
  readonly #refused: RefusedLogins;
  /** Since when older connections may lead to a read-only server. */
  #doubtedAt: number | undefined;
  #readOnly = false;
  /** Whether the probe's own connection met a read-only server. */
  #metReadOnly = false;
  #answers = true;
  #silentMs = 0;
  #clockMs = 0;
  #giveUp: { afterMs: number; tell: () => void } | undefined;

  private constructor(key: string, url: string, logger: Logger) {
    this.#key = key;
    this.#url = url;
    this.#logger = logger;
    this.#refused = new RefusedLogins(logger);
  }

  /** A server's shared watch; the role and schema in the URL do not matter. */
  static of(url: string, logger: Logger): ServerWatch {
    const { host, pathname, searchParams } = new URL(url);
    const key = `${searchParams.get("host") ?? host}${pathname}`;
    const existingWatch = ServerWatch.#watches.get(key);
    if (existingWatch) return existingWatch;
    const newWatch = new ServerWatch(key, url, logger);
    ServerWatch.#watches.set(key, newWatch);
    return newWatch;
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
      this.#refused.stop();
      ServerWatch.#watches.delete(this.#key);
    };
  }

  /** Also probes writes, with the URL for a role that may write `health.writes`. */
  watchWrites(workerUrl: string, pauses?: ProbePauses): void {
    this.#writes ??= new WriteProbe(workerUrl, this.#logger, (failure) => this.#noteServer(failure, workerUrl), pauses);
  }

  /** The reason to refuse work while the server is frozen; undefined otherwise. */
  get refusal(): DatabaseUnavailable | undefined {
    return this.#frozen;
  }

  /** The time in which the event loop has turned, in 250 ms steps. */
  get clockMs(): number {
    return this.#clockMs;
  }

  /** Whether the server answers and accepts all logins from this process. */
  get answers(): boolean {
    return this.#answers && !this.#refused.any;
  }

  get writes(): boolean {
    return !this.#readOnly && (this.#writes?.succeeds ?? true);
  }

  /** Reports a failed statement or, with its URL, a failed connection. */
  note(error: unknown, url?: string): void {
    if (isWriteOutage(error)) this.#writes?.doubt();
    this.#noteServer(error, url);
  }

  #noteServer(error: unknown, url?: string): void {
    if (isReadOnly(error)) this.#doubt();
    if (url !== undefined && isLoginRefused(error)) this.#refused.note(url, error);
  }

  /** Resolves after this time without any sign that the server lives. A running recovery is such a sign. */
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
    this.#refused.ask();
    const connection = this.#connection ?? new ProbeConnection(this.#url);
    this.#connection = connection;
    connection.ask(question).then(
      ([row]) => {
        this.#answered();
        this.#judgeServer(connection, row?.["transaction_read_only"] === "on");
      },
      (error: unknown) => this.#failed(error),
    );
  }

  #doubt(): void {
    this.#doubtedAt ??= performance.now();
  }

  #judgeServer(connection: ProbeConnection, readOnly: boolean): void {
    if (readOnly) {
      this.#doubt();
      this.#metReadOnly = true;
    }
    if (this.#doubtedAt === undefined || connection !== this.#connection) return;
    const fresh = connection.madeAt >= this.#doubtedAt;
    if (readOnly || !fresh) this.#leaveServer(connection);
    if (!fresh) this.#sinceMs = askEveryMs;
    else if (readOnly) this.#demoted();
    else this.#promoted(connection.madeAt);
  }

  /** The next question is asked over a new connection. */
  #leaveServer(connection: ProbeConnection): void {
    connection.destroy();
    this.#connection = undefined;
  }

  #demoted(): void {
    if (this.#readOnly) return;
    this.#readOnly = true;
    this.#logger.error("the database server is read-only");
    this.#renew(performance.now(), becameReadOnly());
  }

  #promoted(madeAt: number): void {
    if (this.#readOnly) this.#logger.warn("the database server is not read-only any more");
    this.#renew(madeAt, this.#metReadOnly && !this.#readOnly ? becameReadOnly() : undefined);
    this.#readOnly = false;
    this.#metReadOnly = false;
    this.#doubtedAt = undefined;
  }

  #renew(madeBefore: number, reason?: DatabaseUnavailable): void {
    this.#writes?.renew();
    for (const client of this.#clients) client.renew?.(madeBefore, reason);
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
    if (isLoginRefused(error)) {
      this.#refused.note(this.#url, error);
      this.#answered();
      return;
    }
    if (systemErrorCode(error) === cannotConnectNow) this.#silentMs = 0;
    if (this.#answers && this.#timer) this.#logger.warn({ cause: error }, "the database does not answer");
    this.#answers = false;
    // A server that refuses connections answers everybody at once. Only a silent server keeps requests waiting.
    if (error instanceof DatabaseUnavailable && databaseFailure(error) === "Lost") this.#freeze();
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

const becameReadOnly = () => new DatabaseUnavailable("Lost", "The database server became read-only");
