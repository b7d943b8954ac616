import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { AcceptedDelivery, ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { type DeliveryFacts, type ReadDelivery, readDelivery } from "../arrived-deliveries/delivery-facts.js";
import { parsingBody } from "../arrived-deliveries/delivery-values.js";
import { type CandidateSet, isEmpty } from "../inbound-candidates/candidate.js";
import type { CandidateCache } from "../inbound-candidates/candidate-cache.js";
import { unnamedEvent } from "../normalized-events/vendor-event-names.js";
import type { AmbiguityAlarm } from "./ambiguity-alarm.js";
import type { DeliveryRecorder } from "./delivery-recorder.js";
import type { DeliveryLimits } from "./intake-limits.js";
import type { NewDelivery } from "./new-delivery.js";
import type { Match, SignatureVerifier } from "./signature-verifier.js";

/** The deliveries of a request, or the answer to a vendor's test of the URL. */
export type Receipt = Recorded | { readonly challenge: string };

interface Recorded {
  readonly accepted: readonly AcceptedDelivery[];
  /** The vendor's ids of the events that were not recorded, because another body is known under them. */
  readonly conflicts: readonly string[];
}

/** The names of events of a tenant's provider in the words of the platform. */
export type NormalizeEvent = (match: Match, named: readonly DeliveryFacts["named"][]) => Promise<string[]>;

interface Parts {
  readonly cache: CandidateCache;
  readonly verifier: SignatureVerifier;
  readonly limits: DeliveryLimits;
  readonly recorder: Pick<DeliveryRecorder, "record">;
  readonly normalize: NormalizeEvent;
  readonly alarm: AmbiguityAlarm;
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
    const { limits, recorder, normalize } = this.#parts;
    const match = await this.#verified(delivery);
    limits.spend(match);
    const isLarge = delivery.message.body.length > ordinaryBytes;
    const read = isLarge
      ? await longWork.run(match.tenant.tenantId, inOwnTurns(delivery, match))
      : readDelivery(delivery, match);
    if ("challenge" in read) return read;
    if (read.events.length > 1) limits.spend(match, read.events.length - 1);
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
    const conflicts = deliveries.flatMap(({ providerDeliveryId }, place) =>
      recorded[place] === "Conflict" ? [providerDeliveryId] : [],
    );
    if (conflicts.length > 0) {
      const { tenant, providerKey: provider } = match;
      const counts = { events: deliveries.length, conflicts: conflicts.length };
      this.#parts.logger.warn(
        { tenantId: tenant.tenantId, provider, ...counts, traceId: delivery.trace.traceId },
        "events of a delivery were not recorded, because other bodies are known under their ids",
      );
    }
    return { accepted, conflicts };
  }

  async #verified(delivery: ArrivedDelivery): Promise<Match> {
    const { limits, verifier, alarm } = this.#parts;
    const { set, known } = await this.#candidates(delivery);
    const matches = await limits.attempt(delivery, () => verifier.verify(delivery, set));
    const [match] = matches;
    if (!match) throw notVerified();
    if (matches.length > 1) {
      alarm.raise(delivery, matches);
      throw new Ambiguous("SIGNATURE_INVALID", { detail: notVerifiedDetail });
    }
    known();
    return match;
  }

  /** The tenants and secrets to try. Those that are not in memory count as unknown until `known` is called. */
  async #candidates(delivery: ArrivedDelivery): Promise<{ set: CandidateSet; known: () => void }> {
    const { cache, limits } = this.#parts;
    const { providerKey, hint } = delivery;
    if (providerKey === undefined) {
      limits.look(delivery);
      throw notVerified();
    }
    const held = cache.peek(providerKey, hint);
    const known = held ? () => undefined : limits.look(delivery);
    const set = await (held ?? cache.read(providerKey, hint)).catch((error: unknown) => {
      known();
      throw error;
    });
    if (isEmpty(set)) {
      if (held) limits.look(delivery);
      throw notVerified();
    }
    // Accounts can be invented, and all tenants of the vendor are the claims of each.
    if (set.candidates.length > 0 || hint?.kind !== "account") known();
    return { set, known };
  }
}

/** Looks to the vendor like every failure of the verification. */
export class Ambiguous extends DomainError {}

/** A larger body takes long to parse. */
const ordinaryBytes = 64 * 1024;

/** Parses a delivery in turns of the event loop and reads it in another. Tenants take turns. */
function* inOwnTurns(delivery: ArrivedDelivery, match: Match): PausableWork<ReadDelivery> {
  yield;
  // known from now on, and the facts are read in the next turn
  yield* parsingBody(delivery, match.driver.webhook);
  yield;
  return readDelivery(delivery, match);
}

const notVerifiedDetail =
  "The delivery could not be verified. Check the key of the provider, the secret, the time and the signed bytes.";

/** One answer for every failure, so that it tells nothing about providers, tenants, times or secrets. */
const notVerified = () => new DomainError("SIGNATURE_INVALID", { detail: notVerifiedDetail });
