import { DomainError } from "@factory/runtime/errors/domain-error";
import { type BudgetState, PlatformBudgets } from "@factory/runtime/platform-limits/platform-budgets";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { editionFactor } from "@factory/schema/edition-factors";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { mebibyte } from "../arrived-deliveries/body-size.js";
import type { Registration } from "../inbound-candidates/candidate.js";
import { MinuteCounts } from "./minute-counts.js";

/** Throws RATE_LIMITED while a limit is used up. */
function requireRoom(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw new DomainError("RATE_LIMITED", { detail, retryAfterSeconds: seconds });
}

const failuresPerMinute = 120;
/** Failures and verifications at the same time, for one resource, or for an address and a key with all accounts. */
const triesPerMinute = 4 * failuresPerMinute;
const deliveriesPerMinute = 1200;
/** For all a tenant's providers together. */
const deliveriesOfTenantPerMinute = 4 * deliveriesPerMinute;

const failureDetail = "Too many deliveries could not be verified. Wait for the time in Retry-After.";
const limitDetails = {
  provider: "The limit of deliveries of this provider is reached. Wait for the time in Retry-After.",
  tenant: "The limit of deliveries of all providers together is reached. Wait for the time in Retry-After.",
};

/**
 * The limits on deliveries. Failures without a hint count by address and provider key, so that a wrong secret at a
 * vendor blocks no delivery from elsewhere; those with an account by address, key and account. Failures with a
 * resource's hint count by that resource. Everything is counted before it is waited for, so that many requests at the
 * same time find no gap.
 */
export class DeliveryLimits {
  readonly #failures: MinuteCounts;
  readonly #tries: MinuteCounts;
  readonly #budgets: PlatformBudgets;
  readonly #factor: number;
  readonly #facts: Pick<TenantFacts, "peek">;

  /** `factor` multiplies the limits. Without `budgets` this is the only process. */
  constructor(facts: Pick<TenantFacts, "peek">, factor: number, budgets = new PlatformBudgets()) {
    this.#facts = facts;
    this.#factor = factor;
    this.#budgets = budgets;
    this.#failures = new MinuteCounts(failuresPerMinute, factor);
    this.#tries = new MinuteCounts(triesPerMinute, factor);
  }

  /**
   * Counts a key, a resource or an account that is unknown until it is found: then the returned function takes the count
   * back. Throws RATE_LIMITED.
   */
  look({ address }: Pick<ArrivedDelivery, "address">): () => void {
    requireRoom(this.#failures.exhaustedFor(unknownOf(address)), failureDetail);
    return this.#failures.count(unknownOf(address));
  }

  /** Throws RATE_LIMITED while there were too many failures, before a delivery's body is read. */
  requireRoomFor(delivery: Sender): void {
    requireRoom(this.#failures.exhaustedFor(failureName(delivery)), failureDetail);
  }

  /** Verifies a delivery, which counts as a failure unless it has one match. Throws RATE_LIMITED before any signature. */
  async attempt<V extends { readonly matches: readonly unknown[] }>(
    delivery: ArrivedDelivery,
    verify: () => Promise<V>,
  ): Promise<V> {
    const weight = weightOf(delivery);
    this.requireRoomFor(delivery);
    requireRoom(this.#tries.exhaustedFor(tryName(delivery), 1, weight), failureDetail);
    const takeBack = this.#tries.count(tryName(delivery), weight);
    try {
      const verification = await verify();
      if (verification.matches.length === 1) takeBack();
      else this.#failures.count(failureName(delivery), weight);
      return verification;
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /**
   * Counts verified deliveries for a tenant's provider: one before its body is parsed, then the other events in a
   * batch. A batch that is larger than a whole window needs a whole window. Throws RATE_LIMITED.
   */
  async spend({ tenant, providerId }: Registration, events = 1): Promise<void> {
    const facts = this.#facts.peek(tenant.tenantId);
    const factor = facts ? editionFactor(facts.editionCode) * facts.limit("rateLimitFactor") : 1;
    const limitOf = (perMinute: number) => Math.max(1, Math.floor(perMinute * this.#factor * factor));
    const ofProvider = limitOf(deliveriesPerMinute);
    const points = Math.min(events, Math.max(1, ofProvider - 1));
    const key = `deliveries ${tenant.uuid} ${providerId}`;
    requireRoom(secondsToWait(await this.#budgets.spend({ key, limit: ofProvider, points })), limitDetails.provider);
    const all = { key: `deliveries ${tenant.uuid}`, limit: limitOf(deliveriesOfTenantPerMinute), points };
    const refusal = secondsToWait(await this.#budgets.spend(all));
    if (refusal !== undefined) this.#budgets.refund(key, points);
    requireRoom(refusal, limitDetails.tenant);
  }
}

const secondsToWait = ({ exceeded, waitMs }: BudgetState) =>
  exceeded ? Math.max(1, Math.ceil(waitMs / 1000)) : undefined;

type Sender = Pick<ArrivedDelivery, "hint" | "address" | "providerKey">;

/** A large body takes as long as several small ones, so that it counts once for each mebibyte. */
export const weightOf = ({ message }: ArrivedDelivery): number => 1 + Math.floor(message.body.length / mebibyte);

const unknownOf = (address: string): string => `${address} `;

/** An account can be guessed, so that its failures count for one address and one provider key only. */
function failureName({ hint, address, providerKey }: Sender): string {
  if (!hint) return `${address} ${providerKey}`;
  return hint.kind === "account" ? `account ${address} ${providerKey} ${hint.value}` : `${hint.kind} ${hint.value}`;
}

/** All accounts for an address and a key together, so that many guessed accounts find no room either. */
const tryName = (delivery: Sender): string =>
  delivery.hint?.kind === "account" ? `account ${delivery.address} ${delivery.providerKey}` : failureName(delivery);
