import { DomainError } from "@factory/runtime/errors/domain-error";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { editionFactor } from "@factory/schema/edition-factors";
import { LRUCache } from "lru-cache";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { Match } from "./signature-verifier.js";

interface Window {
  count: number;
  readonly endsAt: number;
}

const windowMs = 60_000;
/** Invented addresses and names displace the oldest windows only, so that memory is bounded. */
const maxWindows = 50_000;

/** Counts events of a minute by name, in the memory of this process. */
class MinuteCounts {
  readonly #windows = new LRUCache<string, Window>({ max: maxWindows });
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  count(name: string): void {
    const window = this.#current(name);
    if (window) window.count += 1;
    else this.#windows.set(name, { count: 1, endsAt: performance.now() + windowMs });
  }

  /** The seconds until the window of a name ends whose limit, times the factor, is used up; otherwise undefined. */
  exhaustedFor(name: string, factor = 1): number | undefined {
    const window = this.#current(name);
    if (!window || window.count < Math.max(1, Math.floor(this.#limit * factor))) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000));
  }

  #current(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window && window.endsAt > performance.now() ? window : undefined;
  }
}

/** Throws RATE_LIMITED while a limit is used up. */
function requireRoom(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw new DomainError("RATE_LIMITED", { detail, retryAfterSeconds: seconds });
}

const failuresPerMinute = 120;
const deliveriesPerMinute = 1200;

const failed = "Too many deliveries could not be verified. Wait for the time in Retry-After.";

/**
 * The limits of deliveries. Failures without a hint count by address and key of the provider, so that a wrong secret at a
 * vendor blocks no delivery from elsewhere; those with an account by address, key and account. Failures with the hint of a
 * resource count by that resource.
 */
export class DeliveryLimits {
  readonly #failures = new MinuteCounts(failuresPerMinute);
  readonly #verified = new MinuteCounts(deliveriesPerMinute);
  readonly #facts: Pick<TenantFacts, "peek">;
  readonly #factor: number;

  /** `factor` multiplies the limits. */
  constructor(facts: Pick<TenantFacts, "peek">, factor: number) {
    this.#facts = facts;
    this.#factor = factor;
  }

  /** Before the database is asked for a key or a resource that is not in memory. Throws RATE_LIMITED. */
  requireRoomToLook({ address }: ArrivedDelivery): void {
    requireRoom(this.#failures.exhaustedFor(unknownOf(address), this.#factor), failed);
  }

  countUnknown({ address }: ArrivedDelivery): void {
    this.#failures.count(unknownOf(address));
  }

  /** Before any signature is computed. Throws RATE_LIMITED. */
  requireRoomToTry(delivery: ArrivedDelivery): void {
    requireRoom(this.#failures.exhaustedFor(failureName(delivery), this.#factor), failed);
  }

  countFailure(delivery: ArrivedDelivery): void {
    this.#failures.count(failureName(delivery));
  }

  /** Counts verified deliveries of one provider of a tenant. Throws RATE_LIMITED. */
  spend({ tenant, providerId }: Match): void {
    const facts = this.#facts.peek(tenant.tenantId);
    const ofTenant = facts ? editionFactor(facts.editionCode) * facts.limit("rateLimitFactor") : 1;
    const name = `${tenant.uuid} ${providerId}`;
    const detail = "The limit of deliveries of this provider is reached. Wait for the time in Retry-After.";
    requireRoom(this.#verified.exhaustedFor(name, this.#factor * ofTenant), detail);
    this.#verified.count(name);
  }
}

const unknownOf = (address: string): string => `${address} `;

/** An account can be guessed, so that its failures count for one address and one provider key only. */
function failureName({ hint, address, providerKey }: ArrivedDelivery): string {
  if (!hint) return `${address} ${providerKey}`;
  return hint.kind === "account" ? `account ${address} ${providerKey} ${hint.value}` : `${hint.kind} ${hint.value}`;
}
