import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { lockTenant } from "../../tenants/tenants/find-tenant.js";
import { tenantOfPlanSubscription } from "../../tenants/tenants/tenant-lookup.js";
import { failPayment, receivePayment } from "./cancel-plan-subscription.js";
import { type LockedPlan, lockPlanSubscription, makeDueChanges } from "./change-plan-subscription.js";

interface PaymentReportParts {
  readonly database: Database;
  /** Connects as the worker role, which finds a plan subscription's tenant. */
  readonly workers: Pick<Pool, "query">;
  readonly editions: EditionCatalog;
  readonly clock: () => Date;
}

type Report = (transaction: Transaction, locked: LockedPlan, envelope: Envelope) => Promise<boolean>;

/**
 * Takes the payments that connections report. A connection in the platform's own tenant reports about every tenant's
 * plan subscription. A connection in another tenant reports only that a payment for that tenant's plan subscription
 * failed: a tenant could report a success through a vendor that it runs itself. A report that comes again, or after a
 * later one, changes nothing.
 */
export class PaymentReports {
  readonly #parts: PaymentReportParts;
  readonly #reports: Readonly<Record<string, Report>>;

  constructor(parts: PaymentReportParts) {
    this.#parts = parts;
    this.#reports = {
      PaymentFailed: failed,
      PaymentCharged: (transaction, lockedPlan, envelope) => this.#charged(transaction, lockedPlan, envelope),
    };
  }

  consumer(): EventConsumer {
    const types = ["PaymentFailed", "PaymentCharged"] as const;
    return { group: "spine.payments", types, handle: (messages) => this.#take(messages) };
  }

  async #take(messages: readonly BusMessage[]): Promise<void> {
    for (const { envelope } of messages) await this.#apply(envelope);
  }

  async #apply(envelope: Envelope): Promise<void> {
    const { planSubscriptionId } = envelope.data;
    const report = this.#reports[envelope.type];
    if (typeof planSubscriptionId !== "string" || !report) return;
    const tenant = await this.#tenantOf(envelope, planSubscriptionId);
    if (!tenant) return;
    const { database, clock } = this.#parts;
    await database.transaction(tenant, causeOf(envelope), async (transaction) => {
      const row = await lockTenant(transaction);
      const plan = row && (await lockPlanSubscription(transaction, planSubscriptionId));
      if (!plan) return;
      const lockedPlan = { plan, tenant: row, now: clock() };
      await makeDueChanges(transaction, lockedPlan);
      if (await report(transaction, lockedPlan, envelope))
        transaction.audit({ operation: envelope.type, subject: `subscriptions/${planSubscriptionId}` });
    });
  }

  /** The tenant whose plan the event may change; undefined if it may change none. */
  async #tenantOf({ type, tenantid }: Envelope, planSubscriptionId: string): Promise<Tenant | undefined> {
    if (tenantid !== platformTenantId) return type === "PaymentFailed" ? tenantWithId(tenantid) : undefined;
    const uuid = decodeId("sub", planSubscriptionId);
    const tenantUuid = uuid === undefined ? undefined : await tenantOfPlanSubscription(this.#parts.workers, uuid);
    return tenantUuid === undefined ? undefined : tenantWithId(encodeId("ten", tenantUuid));
  }

  async #charged(transaction: Transaction, lockedPlan: LockedPlan, { time }: Envelope): Promise<boolean> {
    const { plan, tenant } = lockedPlan;
    const isUnpaid = plan.status === "PastDue" || plan.status === "Suspended";
    const isLater = plan.pastDueSince !== null && plan.pastDueSince < new Date(time);
    if (tenant.status === "Archived" || !isUnpaid || !isLater) return false;
    await receivePayment(transaction, lockedPlan, this.#parts.editions.featuresOf(plan.editionCode));
    return true;
  }
}

async function failed(transaction: Transaction, lockedPlan: LockedPlan, { time, data }: Envelope): Promise<boolean> {
  const { plan } = lockedPlan;
  if (plan.status !== "Active" || (plan.paidAt && plan.paidAt >= new Date(time))) return false;
  const reason = `The payment of the command ${String(data["commandId"])} has failed.`;
  await failPayment(transaction, lockedPlan, { reason });
  return true;
}

const causeOf = ({ id, traceparent, correlationid, actorid }: Envelope): Cause => ({
  trace: continueTrace(traceparent),
  correlationId: correlationid,
  causationId: id,
  actorId: actorid,
});
