import type { IncomingMessage } from "node:http";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { FixedWindowLimiter } from "./fixed-window-limiter.js";

/** Requests of an address in 60 seconds. A sign-in takes about six of the pages. */
const limits = { pages: 240, clients: 600 } as const;

export type AddressLimit = keyof typeof limits;

/** What needs no token costs a statement or a stored row all the same, so its requests count by address. */
export class AddressRateLimiter {
  readonly #windows: FixedWindowLimiter;
  readonly #factor: number;
  readonly #proven = new WeakSet<IncomingMessage>();

  constructor(factor = 1, clock?: () => number) {
    this.#factor = factor;
    this.#windows = new FixedWindowLimiter(clock);
  }

  /** Counts one request; seconds to wait when it is one too many. */
  spend(kind: AddressLimit, request: IncomingMessage): number | undefined {
    const limit = Math.max(1, Math.floor(limits[kind] * this.#factor));
    return this.#windows.spend(keyOf(kind, request), limit);
  }

  /** A client that has proved who it is counts by its own limit, wherever it is. */
  proven(request: IncomingMessage): void {
    if (this.#proven.has(request)) return;
    this.#proven.add(request);
    this.#windows.refund(keyOf("clients", request));
  }
}

const keyOf = (kind: AddressLimit, request: IncomingMessage) => `${kind} ${clientNetworkOf(request)}`;
