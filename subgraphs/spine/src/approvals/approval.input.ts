import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type ApprovalStatus, approvalStatuses } from "@factory/schema/vocabularies/governance";
import { Field, InputType } from "type-graphql";

@InputType()
export class ApprovalFilterInput {
  @Field(() => enumType(approvalStatuses), { nullable: true })
  status?: ApprovalStatus | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  agentTaskId?: string | null;
}

@InputType()
export class ApprovalDecisionInput {
  @Field(() => String, { nullable: true, description: "A comment that is stored with the decision." })
  @Constraint({ minLength: 1, maxLength: 2000, pattern: "\\S" })
  comment?: string | null;
}
