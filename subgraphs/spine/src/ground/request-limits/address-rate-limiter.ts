import type { IncomingMessage } from "node:http";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { type TimedWindow, TimedWindows } from "./timed-windows.js";

interface RequestWindow extends TimedWindow {
  requests: number;
}

/** Counts requests by key in windows (60 seconds), which begin with the first request. */
class FixedWindowLimiter {
  readonly #windows: TimedWindows<RequestWindow>;

  constructor(clock: () => number = Date.now) {
    this.#windows = new TimedWindows(60_000, clock);
  }

  /** Counts one request, or `count` requests. Returns the seconds to wait if they exceed the limit. */
  consume(key: string, limit: number, count = 1): number | undefined {
    const window = this.#windows.open(key, (endsAt) => ({ requests: 0, endsAt }));
    window.requests += count;
    return window.requests > limit ? this.#secondsLeft(window) : undefined;
  }

  /** Counts nothing. Returns the seconds to wait if the next request would exceed the limit. */
  blockedFor(key: string, limit: number): number | undefined {
    const window = this.#windows.find(key);
    return window && window.requests >= limit ? this.#secondsLeft(window) : undefined;
  }

  /** Takes one counted request back. */
  refund(key: string): void {
    const window = this.#windows.find(key);
    if (window && window.requests > 0) window.requests -= 1;
  }

  #secondsLeft(window: RequestWindow): number {
    return Math.ceil(this.#windows.leftMs(window) / 1000);
  }
}

/** Requests per client address in 60 seconds. A sign-in takes about six requests for pages. */
const addressLimits = { pages: 240, clients: 600 } as const;

/** A request's kind: for a page for people, or an endpoint for clients. */
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
