import type { BudgetAnswer, BudgetReport } from "./exchange-statement.js";

/** Points that somebody wants to spend from a budget. */
export interface Spending {
  /** The budget's kind and owner. Callers must not be able to invent keys. */
  readonly key: string;
  /** The points in a window, over all processes. */
  readonly limit: number;
  readonly points?: number;
}

export interface BudgetState {
  /** Whether the points were refused. Then they do not count. */
  readonly exceeded: boolean;
  readonly remaining: number;
  /** Milliseconds until a refused spending may succeed, otherwise until the window ends. */
  readonly waitMs: number;
}

/** Exchanges counts with the other processes. */
export interface BudgetExchange {
  /** The other processes that are alive. */
  readonly peers: number;
  /** Whether the last exchange failed. */
  readonly isAway: boolean;
  /** When the last exchange succeeded, on the budgets' clock. */
  readonly succeededAt: number;
  /** Asks for an exchange soon. */
  request(): void;
}

/** A budget's window in this process. */
interface Window {
  spent: number;
  limit: number;
  endsAt: number;
  /** The window in the database. Absent until the first exchange. */
  id: string | undefined;
  /** The points that the last exchange's share does not contain. */
  reported: number;
  /** Points beside the reported ones; undefined without a share. */
  share: number | undefined;
  shareLimit: number;
  spentElsewhere: number;
  /** Whether points were asked for since the last report. */
  isTouched: boolean;
  /** Whether an exchange failed in the window before, so that no process can have a share in this one. */
  isUnshared: boolean;
  waiting: (() => void)[];
}

export const windowMs = 60_000;
/** How far all other processes together may go beyond a limit without a share. */
const tolerance = 0.1;
const longestWaitMs = 1500;
const maxWaiting = 100;
const nextExchangeMs = 1000;

const alone: BudgetExchange = { peers: 0, isAway: false, succeededAt: 0, request: () => undefined };

/**
 * Point budgets in 60-second windows, which begin with the first spending. A single process may spend all. Where there
 * are several, each holds a share, which is exchanged once a second while the budget is used. Until its first share a
 * process may spend a small part, and more than that waits for the exchange.
 */
export class PlatformBudgets {
  readonly #clock: () => number;
  readonly #exchange: BudgetExchange;
  readonly #windows = new Map<string, Window>();
  #sent = new Map<string, { readonly window: Window; readonly report: BudgetReport }>();

  /** Without an exchange, this is the only process. */
  constructor(exchange: BudgetExchange = alone, clock: () => number = () => performance.now()) {
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /** Spends points, unless they exceed the limit or this process's share. */
  take({ key, limit, points = 1 }: Spending): BudgetState {
    const window = this.#open(key, limit);
    const isExceeded = window.spent + points > this.#allowance(window);
    if (!isExceeded) window.spent += points;
    if (!isExceeded || !isUsedUp(window, points)) this.#touch(window);
    return this.#stateOf(window, { exceeded: isExceeded, points });
  }

  /** As `take`. Where only the share is used up, it waits up to 1.5 s for the next one. */
  async spend(spending: Spending): Promise<BudgetState> {
    const { key, limit, points = 1 } = spending;
    let state = this.take(spending);
    const deadline = this.#clock() + longestWaitMs;
    while (state.exceeded && !this.#exchange.isAway) {
      const window = this.#open(key, limit);
      const leftMs = deadline - this.#clock();
      if (isUsedUp(window, points) || leftMs <= 0 || window.waiting.length >= maxWaiting) return state;
      await nextAnswer(window, leftMs);
      state = this.take(spending);
    }
    return state;
  }

  /** Counts nothing. Tells whether the points would be refused. */
  look({ key, limit, points = 1 }: Spending): BudgetState {
    const window = this.#open(key, limit);
    const isExceeded = window.spent + points > this.#allowance(window);
    if (isExceeded && !isUsedUp(window, points)) this.#touch(window);
    return this.#stateOf(window, { exceeded: isExceeded, points });
  }

  /** Counts points for admitted work in any case. */
  charge({ key, limit, points = 1 }: Spending): BudgetState {
    const window = this.#open(key, limit);
    window.spent += points;
    this.#touch(window);
    return this.#stateOf(window, { exceeded: false, points });
  }

  /** Takes points back, which work was admitted with. */
  refund(key: string, points = 1): void {
    const window = this.#windows.get(key);
    if (window && window.endsAt > this.#clock()) window.spent = Math.max(0, window.spent - points);
  }

  /** The budgets that were used since the last reports, and those whose share is given back. */
  report(): BudgetReport[] {
    this.#forgetEnded();
    this.#sent = new Map();
    for (const [key, window] of this.#windows) {
      if (!window.isTouched && window.share === undefined) continue;
      const { limit, spent, id, isTouched } = window;
      const report = { key, limit: Math.min(limit, Number.MAX_SAFE_INTEGER), spent, wants: isTouched, window: id };
      window.isTouched = false;
      this.#sent.set(key, { window, report });
    }
    return [...this.#sent.values()].map(({ report }) => report);
  }

  /** Takes the shares for the last reports. */
  apply(answers: readonly BudgetAnswer[]): void {
    const now = this.#clock();
    for (const { key, window: id, leftMs, spentElsewhere, share } of answers) {
      const sentReport = this.#sent.get(key);
      const window = this.#windows.get(key);
      if (!sentReport || window !== sentReport.window) continue;
      const { report } = sentReport;
      const isNew = report.window !== undefined && report.window !== id;
      // the points that were reported belong to the window before
      if (isNew) window.spent -= report.spent;
      window.reported = isNew ? 0 : report.spent;
      window.id = id;
      window.endsAt = now + leftMs;
      window.spentElsewhere = spentElsewhere;
      window.share = report.wants ? share : undefined;
      window.shareLimit = report.limit;
      window.isUnshared = false;
    }
    this.#wake();
  }

  /** The last exchange failed: shares stay as they are, and everything is reported again. */
  failed(): void {
    for (const window of this.#windows.values()) window.isTouched = true;
    this.#wake();
  }

  #wake(): void {
    for (const window of this.#windows.values()) for (const awake of window.waiting.splice(0)) awake();
  }

  #open(key: string, limit: number): Window {
    const current = this.#windows.get(key);
    const now = this.#clock();
    if (current && current.endsAt > now) {
      current.limit = limit;
      return current;
    }
    const newWindow: Window = {
      ...{ spent: 0, limit, endsAt: now + windowMs, id: undefined, reported: 0, spentElsewhere: 0 },
      ...{ share: undefined, shareLimit: limit, isTouched: false, waiting: current?.waiting ?? [] },
      isUnshared: current !== undefined && this.#exchange.isAway,
    };
    this.#windows.set(key, newWindow);
    return newWindow;
  }

  /** The points that this process may have spent. */
  #allowance(window: Window): number {
    const { limit, reported, share, shareLimit, spentElsewhere } = window;
    const total = limit - spentElsewhere;
    const { peers } = this.#exchange;
    if (peers === 0) return total;
    const unsharedPoints = this.#unsharedPart(window, peers);
    const part = share === undefined ? unsharedPoints : Math.floor((share * limit) / shareLimit);
    // another process may hold all that is left and ask for little, until its next exchange
    return Math.min(total, Math.max(reported + part, unsharedPoints));
  }

  /** The points without a share. While the database is away for long, nobody has one, and all get the same. */
  #unsharedPart({ limit, isUnshared }: Window, peers: number): number {
    const isLongAway = this.#exchange.isAway && this.#clock() - this.#exchange.succeededAt > windowMs;
    const part = isUnshared || isLongAway ? limit / (peers + 1) : (limit * tolerance) / peers;
    return Math.max(1, Math.floor(part));
  }

  #touch(window: Window): void {
    window.isTouched = true;
    this.#exchange.request();
  }

  #stateOf(window: Window, { exceeded, points }: { exceeded: boolean; points: number }): BudgetState {
    const leftMs = window.endsAt - this.#clock();
    return {
      exceeded,
      remaining: Math.max(0, window.limit - window.spentElsewhere - window.spent),
      waitMs: exceeded && !isUsedUp(window, points) ? Math.min(leftMs, nextExchangeMs) : leftMs,
    };
  }

  #forgetEnded(): void {
    const now = this.#clock();
    for (const [key, { endsAt, waiting }] of this.#windows)
      if (endsAt <= now && waiting.length === 0 && !this.#exchange.isAway) this.#windows.delete(key);
  }
}

/** Whether no share can help, since all processes together have reached the limit. */
const isUsedUp = ({ limit, spent, spentElsewhere }: Window, points: number): boolean =>
  spent + spentElsewhere + points > limit;

function nextAnswer(window: Window, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const awake = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      window.waiting = window.waiting.filter((other) => other !== awake);
      resolve();
    }, timeoutMs);
    window.waiting.push(awake);
  });
}
