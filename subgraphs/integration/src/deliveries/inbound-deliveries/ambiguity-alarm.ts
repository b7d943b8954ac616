import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { MinuteCounts } from "./minute-counts.js";
import type { Match } from "./signature-verifier.js";

const sharedSecret =
  "a delivery was refused, because secrets of several tenants verify it; one of them has the secret of another";
const sharedKey =
  "a delivery was refused, because several tenants registered the public key of its vendor, and neither its account nor a hint says which of them it is for; a deliveryUrl does";

/**
 * Tells the operator and the tenants about deliveries that several tenants verify, so that no tenant can be trusted
 * with them.
 */
export class AmbiguityAlarm {
  readonly #refusals: RefusalSink;
  readonly #logger: Logger;
  /** A signed delivery can be sent again by anybody, so the log has one line a minute for the same tenants. */
  readonly #lines = new MinuteCounts(1);

  constructor(refusals: RefusalSink, logger: Logger) {
    this.#refusals = refusals;
    this.#logger = logger;
  }

  raise({ trace, address }: ArrivedDelivery, matches: readonly Match[]): void {
    const tenants = matches.map(({ tenant }) => tenant.tenantId);
    const provider = matches[0]?.providerKey;
    const name = `${provider} ${tenants.toSorted().join(" ")}`;
    if (this.#lines.exhaustedFor(name) === undefined) {
      this.#lines.count(name);
      this.#logger.error(
        { tenants, provider, traceId: trace.traceId },
        matches.every(({ provedBy }) => provedBy === "Secret") ? sharedSecret : sharedKey,
      );
    }
    for (const { tenant, subscriptionId, connectionId } of matches)
      this.#refusals.note({
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
