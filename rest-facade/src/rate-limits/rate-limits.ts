import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { editionFactor } from "@factory/schema/edition-factors";
import type { RateClass } from "@factory/schema/rate-classes";
import type { FastifyReply } from "fastify";
import { RateLimiterMemory } from "rate-limiter-flexible";

/** Points per tenant and window, for the edition Standard. An ordinary request costs one; see `RequestContext.points`. */
const limits = {
  read: { points: 3000, windowSeconds: 60 },
  write: { points: 600, windowSeconds: 60 },
  execute: { points: 60, windowSeconds: 60 },
  /** Evaluations of feature flags by OFREP, which answer from memory. */
  evaluate: { points: 12_000, windowSeconds: 60 },
  /** GraphQL documents that were refused before they ran, so they count neither as reads nor as writes. */
  invalid: { points: 600, windowSeconds: 60 },
} as const satisfies Record<RateClass, { points: number; windowSeconds: number }>;

/** Requests without a token, per address. */
const anonymousLimit = { points: 30, windowSeconds: 60 };

export interface RateState {
  readonly policy: string;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly seconds: number;
  readonly exceeded: boolean;
}

/** Counts the requests of each tenant, for REST, GraphQL and websocket together. */
export interface RateLimits {
  spend(rate: RateClass, principal: Principal, points?: number): Promise<RateState>;
  /** Counts requests of a caller without a token, who is known by the address only. */
  spendAnonymous(address: string, points?: number): Promise<RateState>;
}

/** By what the limits of a caller are multiplied. It is called with every request, so it must not wait. */
export type TenantFactor = (principal: Principal) => number;

const factorOfToken: TenantFactor = ({ editionCode }) => editionFactor(editionCode);

/** `factor` multiplies every limit. Without `tenantFactor` the edition in the token decides. */
export function rateLimits(factor: number, tenantFactor: TenantFactor = factorOfToken): RateLimits {
  const windows = Object.fromEntries(
    Object.entries(limits).map(([name, { points, windowSeconds }]) => [
      name,
      { points, windowSeconds, limiter: new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds }) },
    ]),
  );
  const anonymous = new RateLimiterMemory({
    keyPrefix: "anonymous",
    points: anonymousLimit.points,
    duration: anonymousLimit.windowSeconds,
  });
  return {
    async spendAnonymous(address, points = 1) {
      const quota = Math.max(1, Math.floor(anonymousLimit.points * factor));
      return stateOf("anonymous", { ...anonymousLimit, quota }, await anonymous.penalty(address, points));
    },
    async spend(rate, principal, points = 1) {
      const window = windows[rate];
      if (!window) throw new Error(`The rate class ${rate} does not exist`);
      const key = principal.tenantId ?? `client:${principal.clientId}`;
      const quota = Math.max(1, Math.floor(window.points * factor * tenantFactor(principal)));
      // counts like `consume`, but does not reject with a value that is not an Error
      return stateOf(rate, { ...window, quota }, await window.limiter.penalty(key, points));
    },
  };
}

function stateOf(
  name: string,
  { quota, windowSeconds }: { quota: number; windowSeconds: number },
  { msBeforeNext, consumedPoints }: { msBeforeNext: number; consumedPoints: number },
): RateState {
  return {
    policy: `"${name}";q=${quota};w=${windowSeconds}`,
    remaining: Math.max(0, quota - consumedPoints),
    seconds: Math.ceil(msBeforeNext / 1000),
    exceeded: consumedPoints > quota,
  };
}

/** Counts one request; over the limit it throws RATE_LIMITED. Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export interface RateLimit {
  ofTenant(rate: RateClass, principal: Principal, reply: FastifyReply): Promise<void>;
  ofAddress(address: string, reply: FastifyReply): Promise<void>;
  /**
   * Counts points of an admitted request beside its first one, and shows them in its headers. It does not throw: the
   * request is answered, and the next ones are refused until the window ends.
   */
  charge(rate: RateClass, principal: Principal, charge: Charge): Promise<void>;
}

interface Charge {
  readonly points: number;
  readonly reply: FastifyReply;
}

/** The limits of HTTP requests over the counts that GraphQL and websockets share. */
export function limitRequests(limits: RateLimits): RateLimit {
  return {
    ofTenant: async (rate, principal, reply) => obey(rate, await limits.spend(rate, principal), reply),
    ofAddress: async (address, reply) => obey("anonymous", await limits.spendAnonymous(address), reply),
    charge: async (rate, principal, { points, reply }) =>
      show(rate, await limits.spend(rate, principal, points), reply),
  };
}

function show(name: string, { policy, remaining, seconds }: RateState, reply: FastifyReply): void {
  reply.header("ratelimit-policy", policy);
  reply.header("ratelimit", `"${name}";r=${remaining};t=${seconds}`);
}

function obey(name: string, state: RateState, reply: FastifyReply): void {
  show(name, state, reply);
  const { exceeded, seconds } = state;
  if (!exceeded) return;
  reply.header("retry-after", String(Math.max(1, seconds)));
  throw new DomainError("RATE_LIMITED", {
    detail: `The limit for requests of class ${name} is reached. Wait for the time in Retry-After.`,
  });
}
