import { DomainError } from "@factory/runtime/errors/domain-error";

export interface SeatLimits {
  /** Sockets without a known principal, in all and per address. */
  readonly unknown: number;
  readonly unknownPerAddress: number;
  /** All sockets of one address, behind which a whole company may be. */
  readonly perAddress: number;
}

export interface Seat {
  /** The principal of the socket is known from now on. */
  known(): void;
  leave(): void;
}

const defaultLimits: SeatLimits = { unknown: 4000, unknownPerAddress: 200, perAddress: 2000 };

/** Limits the websockets whose principal is not known yet. The limits of the principal count from then on. */
export class SocketSeats {
  readonly #limits: SeatLimits;
  readonly #unknownOf = new Map<string, number>();
  readonly #allOf = new Map<string, number>();
  #unknown = 0;

  constructor(limits: SeatLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Throws RATE_LIMITED or UNAVAILABLE when all places are taken. */
  take(address: string): Seat {
    const { unknown, unknownPerAddress, perAddress } = this.#limits;
    if (count(this.#unknownOf, address) >= unknownPerAddress || count(this.#allOf, address) >= perAddress)
      throw new DomainError("RATE_LIMITED", {
        detail: "Too many websockets are open from this address. Close some of them first.",
        retryAfterSeconds: 10,
      });
    if (this.#unknown >= unknown)
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many websockets have not sent connection_init yet. Try again in a moment.",
      });
    this.#unknown += 1;
    add(this.#unknownOf, address, 1);
    add(this.#allOf, address, 1);
    return this.#seat(address);
  }

  #seat(address: string): Seat {
    let [isKnown, hasLeft] = [false, false];
    const known = () => {
      if (isKnown) return;
      isKnown = true;
      this.#unknown -= 1;
      add(this.#unknownOf, address, -1);
    };
    return {
      known,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        known();
        add(this.#allOf, address, -1);
      },
    };
  }
}

const count = (counts: ReadonlyMap<string, number>, key: string) => counts.get(key) ?? 0;

/** Changes a count, and removes an address without sockets. */
function add(counts: Map<string, number>, key: string, change: number): void {
  const next = count(counts, key) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
