import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { BillingCycle } from "@factory/schema/vocabularies/plans";
import { billingCycleNames, planSubscriptionStatuses } from "@factory/schema/vocabularies/plans";
import { Field, ID, Int, ObjectType } from "type-graphql";
import { type PlanSubscriptionState } from "./plan-subscription.states.js";

const PlanSubscriptionStatus = enumType(planSubscriptionStatuses);
const BillingCycleName = enumType(billingCycleNames);

/** The scope for reading a plan subscription, through a root field or through another entity. */
export const readPlanSubscriptions = { scopes: ["subscription.read"] } as const satisfies AuthRule;

/** `PlanSubscription` in GraphQL, keyed by subscriptionId. */
@ObjectType("PlanSubscription", {
  implements: NodeType,
  simpleResolvers: true,
  description: "The paid plan of a tenant.",
})
@NodeKey("subscriptionId")
export class PlanSubscriptionType {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => ID)
  tenantId: string;

  @Field()
  editionCode: string;

  @Field(() => BillingCycleName, { nullable: true, description: "Null until the first activation." })
  billingCycle: BillingCycle | null;

  @Field(() => PlanSubscriptionStatus)
  status: PlanSubscriptionState;

  @Field(() => DateTime, { nullable: true, description: "The begin of the paid period, or of the trial." })
  currentPeriodStart: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "The first moment after the paid period, or after the trial. An Active plan subscription renews then.",
  })
  currentPeriodEnd: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the plan subscription is cancelled, or was. Null if nobody has cancelled it.",
  })
  cancelAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The end of the trial, also after an activation. A plan subscription that is still Trialing becomes Expired then, unless it is cancelled. Null if there was no trial.",
  })
  trialEndsAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the payment failed. Null if it did not." })
  pastDueSince: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When a plan subscription that is PastDue becomes Suspended. Null without a failed payment.",
  })
  graceEndsAt: string | null;

  @Field(() => Int, { description: "Ascends with each change." })
  version: number;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;
}

export const PlanSubscriptionConnection = connectionType(
  "PlanSubscription",
  () => PlanSubscriptionType,
  "In the order of creation.",
);
export type PlanSubscriptionConnection = Connection<PlanSubscriptionType>;
