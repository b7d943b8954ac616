import type { SeatAnswer, SeatReport } from "./exchange-statement.js";
import type { BudgetExchange } from "./platform-budgets.js";

interface Seats {
  open: number;
  openElsewhere: number;
  isTouched: boolean;
  usedAt: number;
  /** Sockets that wait for an answer, oldest first. */
  waiting: ((granted: boolean) => void)[];
}

/** How far all other processes together may go beyond a limit before they have asked. */
const tolerance = 0.1;
const rememberedMs = 60_000;

/**
 * Limits each principal's open sockets over all processes. A principal's first sockets in a process open at once, later
 * ones wait up to a second for the exchange with the other processes.
 */
export class PrincipalSeats {
  readonly #limit: number;
  readonly #clock: () => number;
  readonly #exchange: BudgetExchange | undefined;
  readonly #seats = new Map<string, Seats>();
  #sent = new Map<string, readonly ((granted: boolean) => void)[]>();

  /** Without an exchange, this is the only process. */
  constructor(limit: number, exchange?: BudgetExchange, clock: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#exchange = exchange;
    this.#clock = clock;
  }

  /** Whether one more socket may open for the principal. Then `leave` must follow when it has closed. */
  async take(principal: string): Promise<boolean> {
    const seats = this.#of(principal);
    const peers = this.#exchange?.peers ?? 0;
    const takenSeats = seats.open + seats.waiting.length;
    if (takenSeats >= this.#limit) return false;
    const isFull = takenSeats + seats.openElsewhere >= this.#limit;
    if (this.#exchange?.isAway && peers > 0 && isFull) return false;
    const immediate = Math.max(1, Math.floor((this.#limit * tolerance) / Math.max(1, peers)));
    if (peers === 0 || this.#exchange?.isAway || (takenSeats < immediate && !isFull)) {
      seats.open += 1;
      this.#touch(seats);
      return true;
    }
    const grant = new Promise<boolean>((resolve) => seats.waiting.push(resolve));
    this.#touch(seats);
    return grant;
  }

  leave(principal: string): void {
    const seats = this.#seats.get(principal);
    if (!seats || seats.open === 0) return;
    seats.open -= 1;
    this.#touch(seats);
  }

  /** The principals whose sockets have changed since the last reports. */
  report(): SeatReport[] {
    // the exchange before has not ended
    if (this.#sent.size > 0) this.failed();
    const reports: SeatReport[] = [];
    const now = this.#clock();
    for (const [principal, seats] of this.#seats) {
      if (seats.isTouched) {
        const waiting = seats.waiting.splice(0);
        this.#sent.set(principal, waiting);
        reports.push({ principal, open: seats.open, wanted: waiting.length, limit: this.#limit });
        seats.isTouched = false;
      } else if (seats.open === 0 && now - seats.usedAt > rememberedMs) this.#seats.delete(principal);
    }
    return reports;
  }

  apply(answers: readonly SeatAnswer[]): void {
    for (const { principal, granted, openElsewhere } of answers) {
      const seats = this.#of(principal);
      seats.openElsewhere = openElsewhere;
      const waiting = this.#sent.get(principal) ?? [];
      seats.open += Math.min(granted, waiting.length);
      for (const [place, answer] of waiting.entries()) answer(place < granted);
    }
    this.#sent = new Map();
  }

  /** The last exchange failed: what was known decides, and everything is reported again. */
  failed(): void {
    for (const [principal, waiting] of this.#sent) {
      const seats = this.#of(principal);
      for (const answer of waiting) {
        const isGranted = seats.open + seats.openElsewhere < this.#limit;
        if (isGranted) seats.open += 1;
        answer(isGranted);
      }
    }
    this.#sent = new Map();
    for (const seats of this.#seats.values()) if (seats.open > 0) seats.isTouched = true;
  }

  #of(principal: string): Seats {
    const current = this.#seats.get(principal);
    if (current) return current;
    const newSeats = { open: 0, openElsewhere: 0, isTouched: false, usedAt: this.#clock(), waiting: [] };
    this.#seats.set(principal, newSeats);
    return newSeats;
  }

  #touch(seats: Seats): void {
    seats.usedAt = this.#clock();
    seats.isTouched = true;
    this.#exchange?.request();
  }
}
