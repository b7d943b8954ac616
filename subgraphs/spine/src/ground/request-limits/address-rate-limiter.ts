import type { IncomingMessage } from "node:http";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { FixedWindowLimiter } from "./fixed-window-limiter.js";

/** Requests per client address in 60 seconds. A sign-in takes about six requests for pages. */
const addressLimits = { pages: 240, clients: 600 } as const;

/** The kind of a request: for a page for people, or an endpoint for clients. */
export type AddressLimit = keyof typeof addressLimits;

/** Limits requests by client address (IPv6: by site). A request without a token costs a statement or a stored row too. */
export class AddressRateLimiter {
  readonly #limiter: FixedWindowLimiter;
  readonly #factor: number;
  readonly #refunded = new WeakSet<IncomingMessage>();

  /** `factor` multiplies the limits. */
  constructor(factor = 1, clock?: () => number) {
    this.#factor = factor;
    this.#limiter = new FixedWindowLimiter(clock);
  }

  /** Counts one request. Returns the seconds to wait if it exceeds the limit. */
  consume(kind: AddressLimit, request: IncomingMessage): number | undefined {
    const limit = Math.max(1, Math.floor(addressLimits[kind] * this.#factor));
    return this.#limiter.consume(keyOf(kind, request), limit);
  }

  /** Takes the request back, once: an authenticated client counts against its own limit, from whatever address. */
  refundAuthenticated(request: IncomingMessage): void {
    if (this.#refunded.has(request)) return;
    this.#refunded.add(request);
    this.#limiter.refund(keyOf("clients", request));
  }
}

const keyOf = (kind: AddressLimit, request: IncomingMessage) => `${kind} ${clientNetworkOf(request)}`;
