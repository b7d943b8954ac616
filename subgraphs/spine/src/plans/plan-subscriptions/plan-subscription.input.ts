import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type BillingCycle,
  billingCycleNames,
  type PlanSubscriptionStatus,
  planSubscriptionStatuses,
} from "@factory/schema/vocabularies/plans";
import { Field, InputType } from "type-graphql";

const nameLimits = { minLength: 1, maxLength: 100 };
const reasonLimits = { minLength: 1, maxLength: 2000 };

@InputType()
export class ActivatePlanSubscriptionInput {
  @Field(() => String, { nullable: true, description: "The code of an edition. Default: the current edition." })
  @Constraint(nameLimits)
  editionCode?: string | null;

  @Field(() => enumType(billingCycleNames), {
    nullable: true,
    description: "Default: the current cycle, and Monthly at the first activation.",
  })
  billingCycle?: BillingCycle | null;
}

@InputType()
export class CancelPlanSubscriptionInput {
  @Field(() => Boolean, {
    nullable: true,
    description: "True (the default): at the end of the paid period or of the trial. False: at once.",
  })
  atPeriodEnd?: boolean | null;

  @Field(() => String, { nullable: true, description: "The reason. It is stored in the event." })
  @Constraint(reasonLimits)
  reason?: string | null;
}

@InputType()
export class ReportPaymentFailureInput {
  @Field(() => String, { nullable: true, description: "The reason. It is stored in the event." })
  @Constraint(reasonLimits)
  reason?: string | null;
}

@InputType()
export class PlanSubscriptionFilterInput {
  @Field(() => enumType(planSubscriptionStatuses), { nullable: true })
  status?: PlanSubscriptionStatus | null;
}
