import { openPool } from "../connections/pool.js";
import type { WatchedPool } from "../connections/watched-pool.js";
import { Retention } from "../db/retention.js";
import { uuidV7 } from "../identifiers/uuid-v7.js";
import { loopWatch, type WatchedLoop } from "../loops/loop-watch.js";
import type { Logger } from "../telemetry/logger.js";
import { type ExchangeRow, exchangeStatement, exchangeValues, farewellStatement } from "./exchange-statement.js";
import { FailureCounts } from "./failure-counts.js";
import { limitsRetention } from "./limits-schema.js";
import { type BudgetExchange, PlatformBudgets, windowMs } from "./platform-budgets.js";
import { PrincipalSeats } from "./principal-seats.js";

const connections = 2;
const silenceMs = 5000;
/** The shortest time between two exchanges. */
const pauseMs = 1000;
/** The longest time between two exchanges, with which this process shows that it is alive. */
const aliveEveryMs = 5000;
const farewellMs = 2000;
const socketsPerPrincipal = 20;

interface PlatformLimitsOptions {
  readonly clock?: () => number;
  readonly socketsPerPrincipal?: number;
}

/**
 * The limits that hold over all the platform's processes. Requests are counted in memory; one statement a second
 * exchanges all counts that have changed.
 */
export class PlatformLimits implements BudgetExchange {
  readonly budgets: PlatformBudgets;
  /** Each principal's websockets. */
  readonly sockets: PrincipalSeats;
  readonly failures: FailureCounts;
  peers = 0;
  isAway = false;
  succeededAt: number;
  readonly #processId = uuidV7();
  readonly #pool: WatchedPool;
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #retention: Retention;
  readonly #alive: NodeJS.Timeout;
  readonly #watched: WatchedLoop;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Whether something has changed since the running exchange began. */
  #isWanted = false;
  /** Counts the exchanges, so that the answer is ignored when an exchange was given up. */
  #turn = 0;
  #stopped = false;

  private constructor(workerUrl: string, logger: Logger, options: PlatformLimitsOptions) {
    this.#clock = options.clock ?? (() => performance.now());
    this.succeededAt = this.#clock();
    this.budgets = new PlatformBudgets(this, this.#clock);
    this.sockets = new PrincipalSeats(options.socketsPerPrincipal ?? socketsPerPrincipal, this, this.#clock);
    this.#pool = openPool(workerUrl, connections, logger, { silenceMs, options: "-c synchronous_commit=off" });
    this.failures = new FailureCounts(this.#pool);
    this.#logger = logger;
    this.#retention = new Retention(workerUrl, logger, limitsRetention);
    this.#alive = setInterval(() => this.request(), aliveEveryMs).unref();
    this.#watched = loopWatch.add({
      ...{ name: "limits", periodMs: aliveEveryMs, logger },
      restart: () => {
        this.#running = undefined;
        this.request();
      },
    });
  }

  /** Resolves when the other processes are known. `workerUrl`: a worker role's URL. */
  static async open(workerUrl: string, logger: Logger, options: PlatformLimitsOptions = {}): Promise<PlatformLimits> {
    const limits = new PlatformLimits(workerUrl, logger, options);
    limits.#running = limits.#exchange();
    await limits.#running;
    return limits;
  }

  request(): void {
    if (this.#running) this.#isWanted = true;
    if (this.#timer || this.#running || this.#stopped) return;
    const delayMs = Math.max(0, this.#startedAt + pauseMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#exchange();
    }, delayMs).unref();
  }

  /** Gives everything back, so that the other processes need not wait. */
  async close(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#alive);
    clearTimeout(this.#timer);
    this.#watched.leave();
    await this.#running;
    const farewell = this.#pool.query(farewellStatement, [this.#processId, [...this.#keys]]);
    await Promise.race([farewell.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, farewellMs))]);
    await Promise.all([this.#retention.stop(), this.#pool.end()]);
  }

  async #exchange(): Promise<void> {
    this.#startedAt = performance.now();
    this.#isWanted = false;
    this.#turn += 1;
    const turn = this.#turn;
    const budgets = this.budgets.report();
    const seats = this.sockets.report();
    for (const { key, wants } of budgets)
      if (wants) this.#keys.add(key);
      else this.#keys.delete(key);
    const values = exchangeValues({
      ...{ processId: this.#processId, budgets, seats },
      windowSeconds: windowMs / 1000,
    });
    try {
      const { rows } = await this.#pool.query<ExchangeRow>({ name: "limits", text: exchangeStatement, values });
      if (turn !== this.#turn) return;
      const [answer] = rows;
      if (!answer) throw new Error("The exchange of limits has no answer");
      this.#succeeded(answer.peers);
      this.budgets.apply(JSON.parse(answer.budgets));
      this.sockets.apply(JSON.parse(answer.seats));
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#failed(error);
    }
    this.#watched.turned();
    this.#running = undefined;
    if (this.#isWanted || this.isAway || budgets.some(({ wants }) => wants)) this.request();
  }

  #succeeded(peers: number): void {
    if (this.isAway) this.#logger.warn("the limits of tenants are exchanged with the other processes again");
    this.peers = peers;
    this.isAway = false;
    this.succeededAt = this.#clock();
  }

  #failed(error: unknown): void {
    if (!this.isAway)
      this.#logger.warn({ err: error }, "the limits of tenants are not exchanged; the last shares hold");
    this.isAway = true;
    this.budgets.failed();
    this.sockets.failed();
  }
}
