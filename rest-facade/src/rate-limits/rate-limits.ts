import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type BudgetState, PlatformBudgets, type Spending } from "@factory/runtime/platform-limits/platform-budgets";
import { editionFactor } from "@factory/schema/edition-factors";
import type { RateClass } from "@factory/schema/rate-classes";
import type { FastifyReply } from "fastify";
import { RateLimiterMemory } from "rate-limiter-flexible";

/** Points per tenant and window, for the edition Standard. An ordinary request costs one; see `RequestContext.points`. */
const limits = {
  read: 3000,
  write: 600,
  execute: 60,
  /** Feature flag evaluations by OFREP, which answer from memory. */
  evaluate: 12_000,
  /** GraphQL documents that were refused before they ran, so they count neither as reads nor as writes. */
  invalid: 600,
} as const satisfies Record<RateClass, number>;

const windowSeconds = 60;

/** Requests without a token, per address. */
const anonymousLimit = 30;

export interface RateState {
  readonly policy: string;
  readonly remaining: number;
  /** Seconds until the window ends, or until a refused request may succeed. */
  readonly seconds: number;
  readonly exceeded: boolean;
}

/** Counts each tenant's requests, for REST, GraphQL and websocket together, and over all processes. */
export interface RateLimits {
  /**
   * Counts points, unless they are refused. It may wait for its share in the limit where there are several processes.
   */
  spend(rate: RateClass, principal: Principal, points?: number): Promise<RateState>;
  /** Counts points for admitted work in any case. */
  charge(rate: RateClass, principal: Principal, points: number): RateState;
  /** Counts requests by a caller without a token, who is known by the address only, in this process. */
  spendAnonymous(address: string, points?: number): Promise<RateState>;
}

/** By what a caller's limits are multiplied. It is called with every request, so it must not wait. */
export type TenantFactor = (principal: Principal) => number;

const factorOfToken: TenantFactor = ({ editionCode }) => editionFactor(editionCode);

/**
 * `factor` multiplies every limit. Without `tenantFactor` the edition in the token decides, and without `budgets` this is
 * the only process.
 */
export function rateLimits(
  factor: number,
  tenantFactor: TenantFactor = factorOfToken,
  budgets: PlatformBudgets = new PlatformBudgets(),
): RateLimits {
  const anonymous = new RateLimiterMemory({
    ...{ keyPrefix: "anonymous", points: anonymousLimit, duration: windowSeconds },
  });
  const spending = (rate: RateClass, principal: Principal, points: number): Spending => ({
    key: `${rate} ${principal.tenantId ?? `client:${principal.clientId}`}`,
    limit: Math.max(1, Math.floor(limits[rate] * factor * tenantFactor(principal))),
    points,
  });
  return {
    async spendAnonymous(address, points = 1) {
      const limit = Math.max(1, Math.floor(anonymousLimit * factor));
      // counts like `consume`, but does not reject with a value that is not an Error
      const { consumedPoints, msBeforeNext } = await anonymous.penalty(address, points);
      const remaining = Math.max(0, limit - consumedPoints);
      return stateOf("anonymous", limit, { exceeded: consumedPoints > limit, remaining, waitMs: msBeforeNext });
    },
    async spend(rate, principal, points = 1) {
      const expense = spending(rate, principal, points);
      return stateOf(rate, expense.limit, await budgets.spend(expense));
    },
    charge(rate, principal, points) {
      const expense = spending(rate, principal, points);
      return stateOf(rate, expense.limit, budgets.charge(expense));
    },
  };
}

const stateOf = (name: string, limit: number, { exceeded, remaining, waitMs }: BudgetState): RateState => ({
  policy: `"${name}";q=${limit};w=${windowSeconds}`,
  remaining,
  seconds: Math.ceil(waitMs / 1000),
  exceeded,
});

/**
 * Counts one request; over the limit it throws RATE_LIMITED. Sets the headers from
 * draft-ietf-httpapi-ratelimit-headers.
 */
export interface RateLimit {
  ofTenant(rate: RateClass, principal: Principal, reply: FastifyReply): Promise<void>;
  ofAddress(address: string, reply: FastifyReply): Promise<void>;
  /**
   * Counts an admitted request's points beside its first one, and shows them in its headers. It does not throw: the
   * request is answered, and the next ones are refused until the window ends.
   */
  charge(rate: RateClass, principal: Principal, charge: Charge): void;
}

interface Charge {
  readonly points: number;
  readonly reply: FastifyReply;
}

/** The limits for HTTP requests over the counts that GraphQL and websockets share. */
export function limitRequests(limits: RateLimits): RateLimit {
  return {
    ofTenant: async (rate, principal, reply) => obey(rate, await limits.spend(rate, principal), reply),
    ofAddress: async (address, reply) => obey("anonymous", await limits.spendAnonymous(address), reply),
    charge: (rate, principal, { points, reply }) => show(rate, limits.charge(rate, principal, points), reply),
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
