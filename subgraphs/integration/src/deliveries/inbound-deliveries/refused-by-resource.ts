import type { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import type { ArrivingDelivery } from "../arrived-deliveries/arrival.js";
import { type CandidateSet, isEmpty } from "../inbound-candidates/candidate.js";
import type { CandidateCache } from "../inbound-candidates/candidate-cache.js";
import type { RefusalTrace, RefusingResource } from "../refused-deliveries/refusal-trace.js";
import type { DeliveryLimits } from "./intake-limits.js";

interface Parts {
  readonly cache: Pick<CandidateCache, "peek" | "read">;
  readonly limits: Pick<DeliveryLimits, "look">;
  readonly trace: Pick<RefusalTrace, "note">;
  readonly clock: () => Date;
}

/** Tells the tenant with the resource in the URL why a delivery was refused, which the vendor does not always learn. */
export class RefusedByResource {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The platform's own failure does not count, since the vendor sends again. */
  async note(delivery: ArrivingDelivery, error: DomainError & { readonly reason?: ErrorCode }): Promise<void> {
    if ((errorCodes[error.code].status ?? 500) >= 500) return;
    const at = this.#parts.clock();
    const resource = await this.#resourceOf(delivery);
    if (resource) this.#parts.trace.note(resource, error.reason ?? error.code, at);
  }

  /** Undefined for a resource that does not exist or takes no deliveries. */
  async #resourceOf(delivery: ArrivingDelivery): Promise<RefusingResource | undefined> {
    const { providerKey, hint } = delivery;
    if (providerKey === undefined || !hint || hint.kind === "account") return undefined;
    const resource = decodeId(hint.kind === "subscription" ? "whs" : "con", hint.value);
    const set = await (this.#parts.cache.peek(providerKey, hint) ?? this.#found(delivery));
    const [holder] = set ? [...set.claims, ...set.candidates] : [];
    return resource === undefined || !holder ? undefined : { tenant: holder.tenant.uuid, resource };
  }

  /** A resource that is not in memory is looked for within the limit on lookups. */
  async #found(delivery: ArrivingDelivery): Promise<CandidateSet | undefined> {
    const { cache, limits } = this.#parts;
    const { providerKey = "", hint } = delivery;
    const takeBack = limits.look(delivery);
    const set = await cache.read(providerKey, hint);
    if (isEmpty(set)) return undefined;
    takeBack();
    return set;
  }
}
