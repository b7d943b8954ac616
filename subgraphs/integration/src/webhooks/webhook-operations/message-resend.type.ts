import { Field, ID, ObjectType } from "type-graphql";
import type { WebhookMessageState } from "../webhook-messages/webhook-message.states.js";
import { WebhookMessageStatus } from "../webhook-messages/webhook-message.type.js";

@ObjectType("WebhookMessageResend", {
  simpleResolvers: true,
  description: "A message that is due. Read it by its ID to see its attempts.",
})
export class WebhookMessageResendType {
  @Field(() => ID)
  messageId: string;

  @Field(() => ID)
  subscriptionId: string;

  @Field(() => WebhookMessageStatus)
  status: WebhookMessageState;
}
