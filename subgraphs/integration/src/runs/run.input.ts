import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class RunFilterInput {
  @Field(() => String, {
    nullable: true,
    description: "Queued, Running, RetryScheduled, Completed, Failed, TimedOut or Cancelled.",
  })
  @Constraint({ maxLength: 50 })
  status?: string | null;

  @Field(() => String, { nullable: true, description: "The name of the work, for example VerifyConnection." })
  @Constraint({ maxLength: 50 })
  operation?: string | null;

  @Field(() => ID, { nullable: true })
  connectionId?: string | null;

  @Field(() => ID, { nullable: true })
  credentialId?: string | null;

  @Field(() => ID, { nullable: true })
  deliveryId?: string | null;

  @Field(() => String, { nullable: true, description: "Only runs that were created at this time (ISO 8601) or later." })
  @Constraint({ maxLength: 40 })
  since?: string | null;
}
