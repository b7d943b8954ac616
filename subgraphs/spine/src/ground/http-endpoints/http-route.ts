import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressLimit } from "../request-limits/address-rate-limiter.js";

/** One path on the authorization server's listener, or several that answer alike. */
export interface HttpRoute {
  readonly methods: readonly string[];
  /** Which limit per client address counts the request. Absent: it costs no statement, or the route counts by itself. */
  readonly limit?: AddressLimit;
  handle(request: IncomingMessage, response: ServerResponse): void;
}
