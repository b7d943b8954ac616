import { DomainError } from "@factory/runtime/errors/domain-error";

interface SeatLimits {
  /** The maximum number of sockets whose principal is not known yet. */
  readonly unknown: number;
  /** The same maximum per address. */
  readonly unknownPerAddress: number;
  /** The maximum number of connections from one address. A whole company may share one address. */
  readonly perAddress: number;
}

export interface Seat {
  /** Records that the connection's principal is known. */
  known(): void;
  leave(): void;
}

const defaultLimits: SeatLimits = { unknown: 4000, unknownPerAddress: 200, perAddress: 2000 };

/**
 * Limits the websockets whose principal is not known yet, and all websockets and event streams from one address. A
 * connection with a known principal also counts for this principal's limit.
 */
export class ConnectionSeats {
  readonly #limits: SeatLimits;
  readonly #unknownOf = new Map<string, number>();
  readonly #allOf = new Map<string, number>();
  #unknown = 0;

  constructor(limits: SeatLimits = defaultLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a seat for a connection whose principal is known, so that others' connections without one cannot keep it out.
   * Throws RATE_LIMITED.
   */
  takeKnown(address: string): Pick<Seat, "leave"> {
    this.#requireRoom(address, 0);
    add(this.#allOf, address, 1);
    let hasLeft = false;
    return {
      leave: () => {
        if (!hasLeft) add(this.#allOf, address, -1);
        hasLeft = true;
      },
    };
  }

  /**
   * Takes a seat for a new connection. Throws RATE_LIMITED when the address has too many connections, and UNAVAILABLE
   * when the process has too many websockets without a known principal.
   */
  take(address: string): Seat {
    const { unknown } = this.#limits;
    this.#requireRoom(address, count(this.#unknownOf, address));
    if (this.#unknown >= unknown)
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many websockets have not sent connection_init yet. Try again in a moment.",
      });
    this.#unknown += 1;
    add(this.#unknownOf, address, 1);
    add(this.#allOf, address, 1);
    return this.#seat(address);
  }

  #requireRoom(address: string, unknownCount: number): void {
    const { unknownPerAddress, perAddress } = this.#limits;
    if (unknownCount < unknownPerAddress && count(this.#allOf, address) < perAddress) return;
    throw new DomainError("RATE_LIMITED", {
      detail: "Too many websockets and event streams are open from this address. Close some of them first.",
      retryAfterSeconds: 10,
    });
  }

  #seat(address: string): Seat {
    let [isKnown, hasLeft] = [false, false];
    const markKnown = () => {
      if (isKnown) return;
      isKnown = true;
      this.#unknown -= 1;
      add(this.#unknownOf, address, -1);
    };
    return {
      known: markKnown,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        markKnown();
        add(this.#allOf, address, -1);
      },
    };
  }
}

const count = (counts: ReadonlyMap<string, number>, key: string) => counts.get(key) ?? 0;

/** Changes an address's count, and deletes the address when its count is 0. */
function add(counts: Map<string, number>, key: string, change: number): void {
  const next = count(counts, key) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
