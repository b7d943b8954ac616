import { afterLoopTime } from "../clients/loop-time.js";
import { DatabaseUnavailable, isConnectionLost, isLoginRefused } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";
import { ProbeConnection } from "./probe-connection.js";

/** The pauses between two probes in milliseconds: while writes succeed, and after one has failed. */
export interface ProbePauses {
  readonly usual: number;
  readonly doubtful: number;
}

const defaultPauses: ProbePauses = { usual: 5000, doubtful: 1000 };

/** The server ends the statement before. A stopped server process and a silent proxy do not. */
const answerMs = 8000;

/**
 * Writes one row, and counts more rows than fit in `work_mem`. The overwritten row needs no new disk space, but the count
 * does.
 */
export const writeStatement = `insert into health.writes (role, at, spilled)
  values (current_user, now(), (select count(*) from generate_series(1, 20000)))
  on conflict (role) do update set at = excluded.at, spilled = excluded.spilled`;

const settings = { work_mem: "64kB", synchronous_commit: "off", statement_timeout: "5s" };

/** Probes whether the server accepts writes: every 5 s, and every second once any write has failed. */
export class WriteProbe {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #pauses: ProbePauses;
  readonly #tell: (failure: unknown) => void;
  #connection: ProbeConnection | undefined;
  #timer: NodeJS.Timeout;
  #asking = false;
  /** Whether the next probe needs a new connection. */
  #renewed = false;
  /** How many writes failed, and how many did so before a successful probe began. */
  #doubts = 0;
  #dispelled = 0;
  #succeeds = true;
  #stopped = false;

  /** `tell` gets each probe's failure. */
  constructor(url: string, logger: Logger, tell: (failure: unknown) => void, pauses = defaultPauses) {
    this.#url = url;
    this.#logger = logger;
    this.#tell = tell;
    this.#pauses = pauses;
    this.#timer = setTimeout(() => this.#ask(), pauses.doubtful).unref();
  }

  /** False from the first failed write until a probe that began later succeeds. */
  get succeeds(): boolean {
    return this.#succeeds && this.#doubts === this.#dispelled;
  }

  /** Reports a failed write. */
  doubt(): void {
    this.#doubts += 1;
    if (this.#doubts === this.#dispelled + 1 && !this.#asking) this.#askIn(this.#pauses.doubtful);
  }

  /** The connection may lead to a server that was replaced. */
  renew(): void {
    this.#renewed = true;
    if (!this.#asking) this.#askIn(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#connection?.destroy();
  }

  #askIn(pauseMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => this.#ask(), pauseMs).unref();
  }

  #ask(): void {
    this.#asking = true;
    const doubts = this.#doubts;
    if (this.#renewed) this.#leave();
    this.#connection ??= new ProbeConnection(this.#url, settings);
    const connection = this.#connection;
    const reason = new DatabaseUnavailable("Lost", "The database did not answer the probe of writes in time");
    const cancelTimer = afterLoopTime(answerMs, () => connection.destroy(reason));
    connection
      .ask(writeStatement)
      .finally(cancelTimer)
      .then(
        () => this.#succeeded(doubts),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#asking = false;
        if (this.#renewed) this.#askIn(0);
        else this.#askIn(this.succeeds ? this.#pauses.usual : this.#pauses.doubtful);
      });
  }

  #succeeded(doubts: number): void {
    this.#dispelled = doubts;
    if (!this.#succeeds) this.#logger.warn("the database takes writes again");
    this.#succeeds = true;
  }

  #leave(): void {
    this.#renewed = false;
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  #failed(error: unknown): void {
    this.#leave();
    this.#tell(error);
    // The server's watch reports lost connections and refused logins.
    if (this.#stopped || isConnectionLost(error) || isLoginRefused(error)) return;
    if (this.#succeeds) this.#logger.error({ cause: error }, "the database takes no writes");
    this.#succeeds = false;
  }
}
