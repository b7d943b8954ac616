import { isConnectionLost } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";
import { ProbeConnection } from "./probe-connection.js";

/** In milliseconds between two questions, as long as writes succeed and once one has failed. */
export interface ProbePauses {
  readonly usual: number;
  readonly doubtful: number;
}

const defaultPauses: ProbePauses = { usual: 5000, doubtful: 1000 };

/**
 * Writes one row and, because a row that is overwritten needs no more room, counts more than fits in `work_mem`: that
 * needs new blocks on the disk of the database.
 */
export const writeStatement = `insert into health.writes (role, at, spilled)
  values (current_user, now(), (select count(*) from generate_series(1, 20000)))
  on conflict (role) do update set at = excluded.at, spilled = excluded.spilled`;

const settings = { work_mem: "64kB", synchronous_commit: "off", statement_timeout: "5s" };

/** Whether the server takes writes: asked every 5 s, and every second once a write of anybody's has failed. */
export class WriteProbe {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #pauses: ProbePauses;
  #connection: ProbeConnection | undefined;
  #timer: NodeJS.Timeout;
  #asking = false;
  /** Failed writes of others, and those of them that a probe begun later has proved wrong. */
  #doubts = 0;
  #dispelled = 0;
  #succeeds = true;
  #stopped = false;

  constructor(url: string, logger: Logger, pauses = defaultPauses) {
    this.#url = url;
    this.#logger = logger;
    this.#pauses = pauses;
    this.#timer = setTimeout(() => this.#ask(), pauses.doubtful).unref();
  }

  /** False from the first failed write until one succeeds that was begun after it. */
  get succeeds(): boolean {
    return this.#succeeds && this.#doubts === this.#dispelled;
  }

  /** A write failed elsewhere. */
  doubt(): void {
    this.#doubts += 1;
    if (this.#doubts === this.#dispelled + 1 && !this.#asking) this.#askIn(this.#pauses.doubtful);
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
    this.#connection ??= new ProbeConnection(this.#url, settings);
    this.#connection
      .ask(writeStatement)
      .then(
        () => this.#succeeded(doubts),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#asking = false;
        this.#askIn(this.succeeds ? this.#pauses.usual : this.#pauses.doubtful);
      });
  }

  #succeeded(doubts: number): void {
    this.#dispelled = doubts;
    if (!this.#succeeds) this.#logger.warn("the database takes writes again");
    this.#succeeds = true;
  }

  #failed(error: unknown): void {
    this.#connection?.destroy();
    this.#connection = undefined;
    // the watch of the server tells of a lost connection
    if (this.#stopped || isConnectionLost(error)) return;
    if (this.#succeeds) this.#logger.error({ err: error }, "the database takes no writes");
    this.#succeeds = false;
  }
}
