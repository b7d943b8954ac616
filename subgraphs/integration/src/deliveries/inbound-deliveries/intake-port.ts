import { DomainError } from "@factory/runtime/errors/domain-error";
import { outageRefusal } from "@factory/runtime/errors/unavailable";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { errorCodes } from "@factory/schema/error-codes";
import type { RawDelivery } from "../arrived-deliveries/arrival.js";
import { Ambiguous, type DeliveryIntake } from "./delivery-intake.js";
import type { IngestedWebhookDeliveryType } from "./webhook-delivery.type.js";

/** `unavailable`: nothing could be decided, for example without the database. */
type IntakeOutcome = "accepted" | "duplicate" | "conflict" | "ambiguous" | "refused" | "unavailable";

/** Counts delivery outcomes in this process, for its metrics. */
export class IntakeCounts {
  readonly #counts: Record<IntakeOutcome, number> = {
    accepted: 0,
    duplicate: 0,
    conflict: 0,
    ambiguous: 0,
    refused: 0,
    unavailable: 0,
  };

  add(outcome: IntakeOutcome): void {
    this.#counts[outcome] += 1;
  }

  get all(): Readonly<Record<IntakeOutcome, number>> {
    return this.#counts;
  }
}

/** The one entry for deliveries, used by the mutation and by the paths that vendors call. */
export class IntakePort {
  readonly #intake: DeliveryIntake;
  readonly #counts: IntakeCounts;

  constructor(intake: DeliveryIntake, counts: IntakeCounts) {
    this.#intake = intake;
    this.#counts = counts;
  }

  /** Resolves after the commit. Throws what `DeliveryIntake.receive` throws. */
  async take(request: RawDelivery, context: RequestContext): Promise<IngestedWebhookDeliveryType> {
    try {
      const receipt = await this.#intake.receive(request, context);
      const answer = { status: "Accepted", traceId: context.trace.traceId } as const;
      if ("challenge" in receipt) {
        const { challenge, mediaType: challengeMediaType } = receipt;
        const nothing = { deliveryId: null, normalizedEventType: null, deliveries: [], conflicts: [] };
        return { ...answer, ...nothing, challenge, challengeMediaType };
      }
      for (const { isDuplicate } of receipt.accepted) this.#counts.add(isDuplicate ? "duplicate" : "accepted");
      for (const _ of receipt.conflicts) this.#counts.add("conflict");
      const deliveries = receipt.accepted.map(({ deliveryId, normalizedEventType }) => ({
        deliveryId,
        normalizedEventType,
      }));
      const { deliveryId = null, normalizedEventType = null } = deliveries[0] ?? {};
      const conflicts = [...receipt.conflicts];
      return {
        ...answer,
        deliveryId,
        normalizedEventType,
        deliveries,
        conflicts,
        challenge: null,
        challengeMediaType: null,
      };
    } catch (error) {
      const refusal = outageRefusal(error) ?? error;
      this.#counts.add(outcomeOf(refusal));
      throw refusal;
    }
  }
}

function outcomeOf(error: unknown): IntakeOutcome {
  if (error instanceof Ambiguous) return "ambiguous";
  if (!(error instanceof DomainError)) return "unavailable";
  if (error.code === "DELIVERY_CONFLICT") return "conflict";
  return (errorCodes[error.code].status ?? 500) >= 500 ? "unavailable" : "refused";
}
