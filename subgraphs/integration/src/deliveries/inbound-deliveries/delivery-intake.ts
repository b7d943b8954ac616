import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import { unnamedEvent } from "../../providers/normalized-events/vendor-event-names.js";
import {
  type ArrivingDelivery,
  arrivingDelivery,
  type BodySource,
  type RawDelivery,
  requireAcceptable,
  withBody,
} from "../arrived-deliveries/arrival.js";
import type { AcceptedDelivery, ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { isResource, ordinaryBytes, requireBodySize } from "../arrived-deliveries/body-size.js";
import { type DeliveryFacts, type ReadDelivery, readDelivery } from "../arrived-deliveries/delivery-facts.js";
import { parsingBody } from "../arrived-deliveries/delivery-values.js";
import { readBody } from "../arrived-deliveries/read-body.js";
import { answerToTest, type Challenge } from "../arrived-deliveries/url-test.js";
import { type CandidateSet, isEmpty } from "../inbound-candidates/candidate.js";
import type { CandidateCache } from "../inbound-candidates/candidate-cache.js";
import type { AmbiguityAlarm } from "./ambiguity-alarm.js";
import type { BodyRooms } from "./body-rooms.js";
import type { DeliveryRecorder } from "./delivery-recorder.js";
import { type DeliveryLimits, weightOf } from "./intake-limits.js";
import type { NewDelivery } from "./new-delivery.js";
import type { RefusedByResource } from "./refused-by-resource.js";
import type { Match, SignatureRefusal, SignatureVerifier } from "./signature-verifier.js";

/** The deliveries in a request, or the answer to a vendor's test of the URL. */
type Receipt = Recorded | Challenge;

interface Recorded {
  readonly accepted: readonly AcceptedDelivery[];
  /** The vendor's ids for events that were not recorded, because another body is known under them. */
  readonly conflicts: readonly string[];
}

/** The names that a tenant's provider gives its events, in the platform's words. */
export type NormalizeEvent = (match: Match, named: readonly DeliveryFacts["named"][]) => Promise<string[]>;

interface Parts {
  readonly cache: CandidateCache;
  readonly verifier: SignatureVerifier;
  readonly limits: DeliveryLimits;
  readonly recorder: Pick<DeliveryRecorder, "record">;
  readonly normalize: NormalizeEvent;
  readonly alarm: AmbiguityAlarm;
  readonly refused: Pick<RefusedByResource, "note">;
  readonly rooms: BodyRooms;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** The address that vendors call, without a slash at its end. */
  readonly publicUrl: string;
}

/**
 * Verifies vendors' deliveries before anything else, and records them for the tenant whose secret has verified them.
 */
export class DeliveryIntake {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Reads a request and takes its delivery, or answers a vendor's test of the URL. Resolves after the commit. Throws what
   * `requireAcceptable` and `ingest` throw, METHOD_NOT_ALLOWED and PAYLOAD_TOO_LARGE.
   */
  async receive(request: RawDelivery, context: RequestContext): Promise<Receipt> {
    const arriving = arrivingDelivery(request, context, this.#parts.publicUrl);
    try {
      return await this.#receive(arriving, request.body);
    } catch (error) {
      if (error instanceof DomainError) void this.#parts.refused.note(arriving, error).catch(() => undefined);
      throw error;
    }
  }

  async #receive(arriving: ArrivingDelivery, source: BodySource): Promise<Receipt> {
    // a resource is looked up before its body is read, which may be large
    const lookup = isResource(arriving.hint) ? await this.#look(arriving) : undefined;
    const answer = lookup && this.#testAnswer(arriving, lookup.set);
    if (answer) return answer;
    if (arriving.method !== "POST")
      throw new DomainError("METHOD_NOT_ALLOWED", {
        detail:
          "Nothing is answered here but the deliveries of vendors by POST, and the tests of a URL that its vendor is known for.",
      });
    requireAcceptable(arriving);
    if (lookup && isEmpty(lookup.set)) throw notVerified();
    this.#parts.limits.requireRoomFor(arriving);
    const room = this.#parts.rooms.open(arriving, lookup && tenantOfResource(lookup.set));
    try {
      const { isCompressed, hint } = arriving;
      const requireSize = (bytes: number) => requireBodySize(bytes, hint);
      requireSize(Number(arriving.headers.get("content-length")?.[0] ?? 0));
      const body = await readBody(source, { isCompressed, requireSize, take: room.take });
      // looked up again, since the body may have taken long
      return await this.ingest(withBody(arriving, body));
    } finally {
      room.close();
    }
  }

  /** The answer to a test of a resource's URL. */
  #testAnswer(arriving: ArrivingDelivery, { claims, candidates }: CandidateSet): Challenge | undefined {
    const [holder] = [...claims, ...candidates];
    const tests = arriving.form === "Vendor" ? holder?.driver.webhook?.urlTests : undefined;
    const answer = tests && answerToTest(tests, arriving);
    // anybody may ask, so that each answer counts as a look
    if (answer) this.#parts.limits.look(arriving);
    return answer;
  }

  /**
   * Resolves after the commit. Throws SIGNATURE_EXPIRED for a signature that is right, SIGNATURE_INVALID for every
   * other verification failure, RATE_LIMITED, MALFORMED_JSON, VALIDATION_FAILED, DELIVERY_CONFLICT or UNAVAILABLE.
   */
  async ingest(delivery: ArrivedDelivery): Promise<Receipt> {
    const { limits, recorder, normalize, clock } = this.#parts;
    const match = await this.#verified(delivery, await this.#look(delivery));
    await limits.spend(match, weightOf(delivery));
    const isLarge = delivery.message.body.length > ordinaryBytes;
    const result = isLarge
      ? await longWork.run(match.tenant.tenantId, inOwnTurns(delivery, match, clock()))
      : readDelivery(delivery, match, clock());
    if ("challenge" in result) return result;
    if (result.events.length > 1) await limits.spend(match, result.events.length - 1);
    const types = await normalize(
      match,
      result.events.map(({ named }) => named),
    );
    const deliveries = result.events.map(
      (facts, place): NewDelivery => ({
        ...facts,
        match,
        trace: delivery.trace,
        normalizedEventType: types[place] ?? unnamedEvent,
      }),
    );
    const outcomes = await recorder.record(match.tenant, deliveries);
    const acceptedOutcomes = outcomes.filter((outcome) => outcome !== "Conflict");
    if (acceptedOutcomes.length === 0)
      throw new DomainError("DELIVERY_CONFLICT", {
        detail: "A delivery with this providerDeliveryId and another body was received before. Send a new id.",
      });
    const conflicts = deliveries.flatMap(({ providerDeliveryId }, place) =>
      outcomes[place] === "Conflict" ? [providerDeliveryId] : [],
    );
    if (conflicts.length > 0) {
      const { tenant, providerKey: provider } = match;
      const counts = { events: deliveries.length, conflicts: conflicts.length };
      this.#parts.logger.warn(
        { tenantId: tenant.tenantId, provider, ...counts, traceId: delivery.trace.traceId },
        "events of a delivery were not recorded, because other bodies are known under their ids",
      );
    }
    return { accepted: acceptedOutcomes, conflicts };
  }

  async #verified(delivery: ArrivedDelivery, { set, known }: Found): Promise<Match> {
    const { limits, verifier, alarm } = this.#parts;
    if (isEmpty(set)) throw notVerified();
    const { matches, refusal } = await limits.attempt(delivery, () => verifier.verify(delivery, set));
    const [match] = matches;
    if (!match) throw notVerified(refusal);
    if (matches.length > 1) {
      alarm.raise(delivery, matches);
      throw new Ambiguous("SIGNATURE_INVALID", { detail: notVerifiedDetail });
    }
    known();
    return match;
  }

  /** The tenants and secrets to try. Those that are not in memory count as unknown until `known` is called. */
  async #look(delivery: Sender): Promise<Found> {
    const { cache, limits } = this.#parts;
    const { providerKey, hint } = delivery;
    if (providerKey === undefined) {
      limits.look(delivery);
      return { set: nobody, known: () => undefined };
    }
    const cachedSet = cache.peek(providerKey, hint);
    const takeBack = cachedSet ? () => undefined : limits.look(delivery);
    const set = await (cachedSet ?? cache.read(providerKey, hint)).catch((error: unknown) => {
      takeBack();
      throw error;
    });
    if (isEmpty(set)) {
      if (cachedSet) limits.look(delivery);
      return { set, known: takeBack };
    }
    // Accounts can be invented, and all the vendor's tenants are the claims for each account.
    if (set.candidates.length > 0 || hint?.kind !== "account") takeBack();
    return { set, known: takeBack };
  }
}

type Sender = Pick<ArrivedDelivery, "providerKey" | "hint" | "address">;

/** The result after a look for a delivery's tenants. */
interface Found {
  readonly set: CandidateSet;
  /** Takes back the look's count. */
  readonly known: () => void;
}

const nobody: CandidateSet = { candidates: [], claims: [], isWhole: true };

const tenantOfResource = ({ claims, candidates }: CandidateSet): string | undefined =>
  [...claims, ...candidates][0]?.tenant.uuid;

/** Looks to the vendor like every other verification failure. */
export class Ambiguous extends DomainError {}

/** Parses a delivery in turns of the event loop and reads it in another. Tenants take turns. */
function* inOwnTurns(delivery: ArrivedDelivery, match: Match, now: Date): PausableWork<ReadDelivery> {
  yield;
  // known from now on, and the facts are read in the next turn
  yield* parsingBody(delivery, match.driver.webhook);
  yield;
  return readDelivery(delivery, match, now);
}

const notVerifiedDetail =
  "The delivery could not be verified. Check the key of the provider, the secret, the time and the signed bytes.";

/** One answer for every failure, so that it tells nothing about providers, tenants or secrets. */
function notVerified(reason: SignatureRefusal = "SIGNATURE_INVALID"): DomainError {
  if (reason !== "SIGNATURE_EXPIRED") return new NotVerified(reason);
  return new DomainError(reason, {
    detail: "The signature is right, and its time is more than 300 seconds from now. Sign the delivery again.",
  });
}

/** Looks to the vendor alike for every reason, which only the tenant learns. */
export class NotVerified extends DomainError {
  readonly reason: SignatureRefusal;

  constructor(reason: SignatureRefusal) {
    super("SIGNATURE_INVALID", { detail: notVerifiedDetail });
    this.reason = reason;
  }
}
