import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyReply } from "fastify";
import { RateLimiterMemory } from "rate-limiter-flexible";

/** Requests per tenant and window, edition Standard. */
const limits = {
  read: { points: 3000, windowSeconds: 60 },
  write: { points: 600, windowSeconds: 60 },
  execute: { points: 60, windowSeconds: 60 },
} as const;

export type RateClass = keyof typeof limits;

/** Counts one request of a tenant; over the limit it throws RATE_LIMITED. Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export type RateLimit = (rate: RateClass, principal: Principal, reply: FastifyReply) => Promise<void>;

export function rateLimit(factor: number): RateLimit {
  const windows = Object.fromEntries(
    Object.entries(limits).map(([name, { points, windowSeconds }]) => {
      const quota = Math.max(1, Math.floor(points * factor));
      const limiter = new RateLimiterMemory({ keyPrefix: name, points: quota, duration: windowSeconds });
      return [name, { limiter, policy: `"${name}";q=${quota};w=${windowSeconds}` }];
    }),
  );
  return async (rate, principal, reply) => {
    const window = windows[rate];
    if (!window) return;
    const key = principal.tenantId ?? `client:${principal.clientId}`;
    // counts like `consume`, but does not reject with a value that is no error
    const state = await window.limiter.penalty(key);
    const seconds = Math.ceil(state.msBeforeNext / 1000);
    reply.header("ratelimit-policy", window.policy);
    reply.header("ratelimit", `"${rate}";r=${state.remainingPoints};t=${seconds}`);
    if (state.consumedPoints <= window.limiter.points) return;
    reply.header("retry-after", String(Math.max(1, seconds)));
    throw new DomainError("RATE_LIMITED", { detail: `The limit for requests of class ${rate} is reached.` });
  };
}
