import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import type { Cause, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockTenant } from "../tenants/find-tenant.js";
import { failPayment } from "./cancel-plan-subscription.js";
import { lockPlanSubscription, makeDueChanges } from "./change-plan-subscription.js";

/**
 * Takes the failed payments of integration. One that names an Active plan subscription of its tenant makes it PastDue, as
 * `reportPaymentFailure` does. A failure that comes again, or after a later payment, changes nothing.
 */
export class PaymentFailures {
  readonly #database: Database;
  readonly #clock: () => Date;

  constructor(database: Database, clock: () => Date) {
    this.#database = database;
    this.#clock = clock;
  }

  consumer(): EventConsumer {
    return { group: "spine.payments", types: ["PaymentFailed"], handle: (messages) => this.#take(messages) };
  }

  async #take(messages: readonly BusMessage[]): Promise<void> {
    for (const { envelope } of messages) await this.#fail(envelope);
  }

  async #fail(envelope: Envelope): Promise<void> {
    const { planSubscriptionId, commandId } = envelope.data;
    if (typeof planSubscriptionId !== "string") return;
    await this.#database.transaction(tenantWithId(envelope.tenantid), causeOf(envelope), async (transaction) => {
      const tenant = await lockTenant(transaction);
      const plan = tenant && (await lockPlanSubscription(transaction, planSubscriptionId));
      if (!plan) return;
      const locked = { plan, tenant, now: this.#clock() };
      await makeDueChanges(transaction, locked);
      if (plan.status !== "Active" || (plan.paidAt && plan.paidAt >= new Date(envelope.time))) return;
      await failPayment(transaction, locked, { reason: `The payment of the command ${String(commandId)} has failed.` });
      transaction.audit({ operation: envelope.type, subject: `subscriptions/${planSubscriptionId}` });
    });
  }
}

const causeOf = ({ id, traceparent, correlationid, actorid }: Envelope): Cause => ({
  trace: continueTrace(traceparent),
  correlationId: correlationid,
  causationId: id,
  actorId: actorid,
});
