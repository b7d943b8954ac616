import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { BillingCycle } from "@factory/schema/vocabularies/plans";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

/** A tenant's paid plan. Provisioning creates it, because the specification has no operation for that. */
@Entity(sweptTenantTable("plan_subscriptions", "next_change_at is not null"))
@Unique({ name: "plan_subscriptions_tenant", properties: ["tenantId"] })
@Index({ name: "plan_subscriptions_page", properties: ["tenantId", "createdAt", "subscriptionId"] })
@Index({
  name: "plan_subscriptions_due",
  expression:
    "create index plan_subscriptions_due on plan_subscriptions (next_change_at) where next_change_at is not null",
})
export class PlanSubscription {
  [PrimaryKeyProp]?: ["tenantId", "subscriptionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("sub") })
  subscriptionId: string;

  @Property({ type: "text" })
  editionCode: string;

  @Property({ type: "text" })
  status: PlanSubscriptionState;

  /** Null until the first activation. */
  @Property({ type: "text", nullable: true })
  billingCycle: BillingCycle | null;

  /** When the first period since the activation began; all later periods are counted from it. */
  @Property({ type: "timestamptz", nullable: true })
  anchorAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  currentPeriodStart: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  currentPeriodEnd: Date | null;

  /** When the plan subscription is cancelled, or was; null when nobody has cancelled it. */
  @Property({ type: "timestamptz", nullable: true })
  cancelAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  trialEndsAt: Date | null;

  /** When the payment failed; null when it did not. */
  @Property({ type: "timestamptz", nullable: true })
  pastDueSince: Date | null;

  /** When an activation or a payment has made it Active last. An older payment failure changes nothing. */
  @Property({ type: "timestamptz", nullable: true })
  paidAt: Date | null;

  /** When the state or the period changes by itself; null when it does not. */
  @Property({ type: "timestamptz", nullable: true })
  nextChangeAt: Date | null;

  /** When the job that makes this change was sent; null before. */
  @Property({ type: "timestamptz", nullable: true })
  changeSentAt: Date | null;

  /** Ascends with each change. */
  @Property({ type: "integer", default: 1 })
  version: number;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  updatedAt: Date;
}
