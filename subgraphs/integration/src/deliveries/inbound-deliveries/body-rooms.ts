import { DomainError } from "@factory/runtime/errors/domain-error";
import { mebibyte } from "../arrived-deliveries/body-size.js";
import { type Sender, senderOf } from "../arrived-deliveries/sender.js";

interface BodyLimits {
  /**
   * The bytes for one resource, or for one address. A single body may have more, since it counts as sent and inflated.
   */
  readonly perSender: number;
  readonly perTenant: number;
  /** The bytes for all bodies that name no resource. */
  readonly unnamed: number;
  readonly all: number;
}

const defaultLimits: BodyLimits = {
  perSender: 32 * mebibyte,
  perTenant: 64 * mebibyte,
  unnamed: 64 * mebibyte,
  all: 128 * mebibyte,
};

/** The memory for one body, while it is read and until its delivery is answered. */
interface BodyRoom {
  /** Throws UNAVAILABLE. */
  readonly take: (bytes: number) => void;
  readonly close: () => void;
}

/** Bounds how many bytes this process holds in bodies that nothing has verified or recorded yet. */
export class BodyRooms {
  readonly #limits: BodyLimits;
  readonly #taken = new Map<string, number>();

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** `tenant` has the resource that the delivery names. */
  open(delivery: Sender, tenant: string | undefined): BodyRoom {
    const { perSender, perTenant, unnamed, all } = this.#limits;
    const sender = senderOf(delivery);
    const shares: readonly (readonly [name: string, limit: number])[] = [
      ["", all],
      tenant === undefined ? ["unnamed", unnamed] : [`tenant ${tenant}`, perTenant],
      [sender, perSender],
    ];
    let ownBytes = 0;
    return {
      take: (bytes) => {
        const isAlone = this.#of(sender) === ownBytes;
        const isFull = ([name, limit]: (typeof shares)[number]) => this.#of(name) + bytes > limit;
        if (shares.some((share) => isFull(share) && !(isAlone && share[0] === sender))) throw noRoom();
        ownBytes += bytes;
        this.#add(shares, bytes);
      },
      close: () => {
        this.#add(shares, -ownBytes);
        ownBytes = 0;
      },
    };
  }

  /** The bytes that are taken now. */
  get bytes(): number {
    return this.#of("");
  }

  #of(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #add(shares: readonly (readonly [name: string, limit: number])[], bytes: number): void {
    for (const [name] of shares) {
      const total = this.#of(name) + bytes;
      if (total === 0) this.#taken.delete(name);
      else this.#taken.set(name, total);
    }
  }
}

const noRoom = () =>
  new DomainError("UNAVAILABLE", {
    detail: "Too many large bodies are received at the same time. Send the delivery again.",
    retryAfterSeconds: 1,
  });
