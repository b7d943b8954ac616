import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { AcceptedDelivery, ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { type DeliveryFacts, readDelivery } from "../arrived-deliveries/delivery-facts.js";
import { unnamedEvent } from "../normalized-events/vendor-event-names.js";
import type { CandidateSet } from "./candidate.js";
import type { CandidateCache } from "./candidate-cache.js";
import type { DeliveryRecorder } from "./delivery-recorder.js";
import type { NewDelivery } from "./delivery-records.js";
import type { DeliveryLimits } from "./intake-limits.js";
import type { Match, SignatureVerifier } from "./signature-verifier.js";

/** The deliveries of a request, or the answer to a vendor's test of the URL. */
export type Receipt = { readonly accepted: readonly AcceptedDelivery[] } | { readonly challenge: string };

/** The names of events of a tenant's provider in the words of the platform. */
export type NormalizeEvent = (match: Match, named: readonly DeliveryFacts["named"][]) => Promise<string[]>;

interface Parts {
  readonly cache: CandidateCache;
  readonly verifier: SignatureVerifier;
  readonly limits: DeliveryLimits;
  readonly recorder: Pick<DeliveryRecorder, "record">;
  readonly normalize: NormalizeEvent;
  readonly refusals: RefusalSink;
  readonly logger: Logger;
  /** The address that vendors call, without a slash at its end. */
  readonly publicUrl: string;
}

/** Verifies deliveries of vendors before anything else, and records them for the tenant whose secret has verified them. */
export class DeliveryIntake {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get publicUrl(): string {
    return this.#parts.publicUrl;
  }

  /**
   * Resolves after the commit. Throws SIGNATURE_INVALID for every failure of the verification, RATE_LIMITED,
   * MALFORMED_JSON, VALIDATION_FAILED, DELIVERY_CONFLICT or UNAVAILABLE.
   */
  async ingest(delivery: ArrivedDelivery): Promise<Receipt> {
    const { limits, recorder, verifier, normalize } = this.#parts;
    const set = await this.#candidates(delivery);
    limits.requireRoomToTry(delivery);
    const matches = await verifier.verify(delivery, set);
    const [match] = matches;
    if (!match || matches.length > 1) {
      limits.countFailure(delivery);
      if (!match) throw notVerified();
      this.#alarm(delivery, matches);
      throw new Ambiguous("SIGNATURE_INVALID", { detail: notVerifiedDetail });
    }
    limits.spend(match);
    const read = readDelivery(delivery, match.driver);
    if ("challenge" in read) return read;
    const types = await normalize(
      match,
      read.events.map(({ named }) => named),
    );
    const deliveries = read.events.map(
      (facts, place): NewDelivery => ({
        ...facts,
        match,
        trace: delivery.trace,
        normalizedEventType: types[place] ?? unnamedEvent,
      }),
    );
    const recorded = await recorder.record(match.tenant, deliveries);
    const accepted = recorded.filter((outcome) => outcome !== "Conflict");
    if (accepted.length === 0)
      throw new DomainError("DELIVERY_CONFLICT", {
        detail: "A delivery with this providerDeliveryId and another body was received before. Send a new id.",
      });
    return { accepted };
  }

  async #candidates(delivery: ArrivedDelivery): Promise<CandidateSet> {
    const { cache, limits } = this.#parts;
    const { providerKey, hint } = delivery;
    if (providerKey === undefined) {
      limits.requireRoomToLook(delivery);
      limits.countUnknown(delivery);
      throw notVerified();
    }
    const held = cache.peek(providerKey, hint);
    if (!held) limits.requireRoomToLook(delivery);
    const set = held ?? (await cache.read(providerKey, hint));
    if (set.candidates.length === 0 && set.claims.length === 0) {
      limits.requireRoomToLook(delivery);
      limits.countUnknown(delivery);
      throw notVerified();
    }
    return set;
  }

  /** Several tenants hold the same secret, or may own the delivery, so that none of them can be trusted with it. */
  #alarm({ trace, address }: ArrivedDelivery, matches: readonly Match[]): void {
    const { refusals, logger } = this.#parts;
    const tenants = matches.map(({ tenant }) => tenant.tenantId);
    logger.error(
      { tenants, provider: matches[0]?.providerKey, traceId: trace.traceId },
      matches.every(({ provedBy }) => provedBy === "Secret") ? sharedSecret : sharedKey,
    );
    for (const { tenant, subscriptionId, connectionId } of matches)
      refusals.note({
        operation: "ingestWebhookDelivery",
        code: "SIGNATURE_INVALID",
        status: 401,
        trace,
        tenantId: tenant.tenantId,
        origin: { address, userAgent: undefined },
        subject: subscriptionId
          ? `webhook-subscriptions/${subscriptionId}`
          : connectionId
            ? `connections/${connectionId}`
            : undefined,
      });
  }
}

const sharedSecret =
  "a delivery was refused, because secrets of several tenants verify it; one of them has the secret of another";
const sharedKey =
  "a delivery was refused, because several tenants registered the public key of its vendor, and neither its account nor a hint says which of them it is for; a deliveryUrl does";

/** Looks to the vendor like every failure of the verification. */
export class Ambiguous extends DomainError {}

const notVerifiedDetail =
  "The delivery could not be verified. Check the key of the provider, the secret, the time and the signed bytes.";

/** One answer for every failure, so that it tells nothing about providers, tenants, times or secrets. */
const notVerified = () => new DomainError("SIGNATURE_INVALID", { detail: notVerifiedDetail });
