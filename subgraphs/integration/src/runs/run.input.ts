import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type RunOperation, type RunStatus, runOperations, runStatuses } from "@factory/schema/vocabularies/runs";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class RunFilterInput {
  @Field(() => enumType(runStatuses), { nullable: true })
  status?: RunStatus | null;

  @Field(() => enumType(runOperations), { nullable: true, description: "The kind of the work." })
  operation?: RunOperation | null;

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
