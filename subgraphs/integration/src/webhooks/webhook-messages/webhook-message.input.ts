import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";
import { webhookMessageStates } from "./webhook-message.states.js";

@InputType()
export class WebhookMessageFilterInput {
  @Field(() => String, { nullable: true, description: `${Object.keys(webhookMessageStates).join(", ")}.` })
  @Constraint({ maxLength: 100 })
  status?: string | null;
}

@InputType()
export class WebhookAttemptFilterInput {
  @Field(() => String, { nullable: true, description: "Succeeded or Failed." })
  @Constraint({ maxLength: 100 })
  outcome?: string | null;
}
