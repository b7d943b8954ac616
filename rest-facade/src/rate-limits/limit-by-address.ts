import type { IncomingMessage, ServerResponse } from "node:http";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import type { RateLimits } from "./rate-limits.js";

type Owner = (request: IncomingMessage, response: ServerResponse) => void;

/** Counts the requests under a prefix like requests without a token, before its owner serves them. */
export const limitByAddress =
  (owner: Owner, limits: RateLimits): Owner =>
  (request, response) =>
    void limits.spendAnonymous(clientNetworkOf(request)).then(({ exceeded, seconds }) => {
      if (exceeded) refuse(response, Math.max(1, seconds));
      else owner(request, response);
    });

/** The reader is a person in a browser. */
function refuse(response: ServerResponse, seconds: number): void {
  response.writeHead(429, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "retry-after": String(seconds),
  });
  response.end("Too many requests. Try again in a minute.\n");
}
