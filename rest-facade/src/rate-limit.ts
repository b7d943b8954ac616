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

const editionFactors: Readonly<Record<string, number>> = { Free: 0.2, Standard: 1, Enterprise: 10 };

export type RateClass = keyof typeof limits;

export interface RateState {
  readonly policy: string;
  readonly remaining: number;
  /** Until the window ends. */
  readonly seconds: number;
  readonly exceeded: boolean;
}

/** What each tenant has used up of its windows: one count for REST, GraphQL and websocket together. */
export interface RateLimits {
  spend(rate: RateClass, principal: Principal, points?: number): Promise<RateState>;
}

/** `factor` multiplies every limit; tokens without a known edition have the limits of Standard. */
export function rateLimits(factor: number): RateLimits {
  const windows = Object.fromEntries(
    Object.entries(limits).map(([name, { points, windowSeconds }]) => [
      name,
      { points, windowSeconds, limiter: new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds }) },
    ]),
  );
  return {
    async spend(rate, principal, points = 1) {
      const window = windows[rate];
      if (!window) throw new Error(`There is no rate class ${rate}`);
      const key = principal.tenantId ?? `client:${principal.clientId}`;
      const quota = Math.max(
        1,
        Math.floor(window.points * factor * (editionFactors[principal.editionCode ?? ""] ?? 1)),
      );
      // counts like `consume`, but does not reject with a value that is no error
      const { msBeforeNext, consumedPoints } = await window.limiter.penalty(key, points);
      return {
        policy: `"${rate}";q=${quota};w=${window.windowSeconds}`,
        remaining: Math.max(0, quota - consumedPoints),
        seconds: Math.ceil(msBeforeNext / 1000),
        exceeded: consumedPoints > quota,
      };
    },
  };
}

/** Counts one request of a tenant; over the limit it throws RATE_LIMITED. Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export type RateLimit = (rate: RateClass, principal: Principal, reply: FastifyReply) => Promise<void>;

export function limitRequests(limits: RateLimits): RateLimit {
  return async (rate, principal, reply) => {
    const { policy, remaining, seconds, exceeded } = await limits.spend(rate, principal);
    reply.header("ratelimit-policy", policy);
    reply.header("ratelimit", `"${rate}";r=${remaining};t=${seconds}`);
    if (!exceeded) return;
    reply.header("retry-after", String(Math.max(1, seconds)));
    throw new DomainError("RATE_LIMITED", { detail: `The limit for requests of class ${rate} is reached.` });
  };
}
