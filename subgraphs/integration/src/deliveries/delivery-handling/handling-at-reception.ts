import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { reportsOf } from "../../providers/provider-drivers/vendor-report.js";
import { pullRequestForm } from "../../providers/providers/preset-source-control.js";
import type { RunCounts } from "../../runs/run-counts.js";
import type { ImmediateHandling, ImmediateState } from "../inbound-deliveries/immediate-handling.js";
import type { IdentifiedDelivery, NewDelivery } from "../inbound-deliveries/new-delivery.js";
import { unparsedPayload } from "./delivery-payload.js";
import { saysRevoked } from "./revoked-credential.js";
import { isIgnored, vendorEvent } from "./vendor-event.js";

/**
 * Handles deliveries in the transaction that records them, where their event is all that there is to do. The others wait
 * for the dispatcher.
 */
export class HandlingAtReception implements ImmediateHandling {
  readonly #facts: TenantFacts;
  readonly #counts: RunCounts;

  constructor(facts: TenantFacts, counts: RunCounts) {
    this.#facts = facts;
    this.#counts = counts;
  }

  async rulesOf({ tenantId }: Tenant): Promise<(delivery: NewDelivery) => ImmediateState> {
    const facts = await this.#facts.of(tenantId).catch(() => undefined);
    return ({ match, eventName, normalizedEventType }) => {
      if (!facts || saysRevoked(match.driver, eventName, normalizedEventType)) return undefined;
      if (reportsOf(match.driver, eventName, normalizedEventType).length > 0) return undefined;
      if (pullRequestForm(match.preset, eventName)) return undefined;
      return isIgnored(normalizedEventType, facts) ? "Ignored" : "Processed";
    };
  }

  handle({ record, afterCommit }: Transaction, delivery: IdentifiedDelivery, state: "Processed" | "Ignored"): void {
    const { deliveryId, runId, match, providerDeliveryId, eventName, normalizedEventType, connectionId } = delivery;
    const facts = {
      ...{
        deliveryId,
        runId,
        providerId: match.providerId,
        provider: match.providerKey,
        providerDeliveryId,
        eventName,
      },
      ...{ normalizedEventType, connectionId },
    };
    const { trace, payload, projectId } = delivery;
    const about = { subject: `deliveries/${deliveryId}`, projectId };
    const cause = { trace, correlationId: trace.traceId, actorId: "system" };
    const type = state === "Processed" ? "WebhookDeliveryProcessed" : "WebhookDeliveryIgnored";
    if (state === "Processed") record({ ...vendorEvent(facts, unparsedPayload(payload)), ...about }, cause);
    record({ type, ...about, data: { ...facts, attempts: 1 } }, cause);
    afterCommit(() => this.#counts.add("ProcessDelivery", "Completed"));
  }
}
