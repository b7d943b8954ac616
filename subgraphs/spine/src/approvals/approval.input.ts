import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class ApprovalFilterInput {
  @Field(() => String, { nullable: true, description: "The status: Pending, Approved, Rejected or Expired." })
  @Constraint({ maxLength: 50 })
  status?: string | null;

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
