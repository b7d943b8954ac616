import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type WebhookMessageStatus, webhookMessageStatuses } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, InputType } from "type-graphql";
import { endedMessageStates } from "../webhook-messages/webhook-message.states.js";

@InputType()
export class ReplayWebhookMessagesInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The beginning of the period (ISO 8601), at most 30 days ago, or 7 with includeUnsent. Required without continueRunId.",
  })
  @Constraint({ maxLength: 40 })
  since?: string | null;

  @Field(() => String, { nullable: true, description: "The end of the period (ISO 8601). The default is now." })
  @Constraint({ maxLength: 40 })
  until?: string | null;

  @Field(() => [enumType(webhookMessageStatuses)], {
    nullable: true,
    description: `The states of the messages: ${endedMessageStates.join(", ")}. The default is all of them.`,
  })
  @Constraint({ minItems: 1, maxItems: 10 })
  states?: WebhookMessageStatus[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "The event types. The default is the present type of the subscription and those former ones that the caller may read. Texts, since a release may add event types.",
  })
  @Constraint({ minItems: 1, maxItems: 50, maxLength: 100 })
  eventTypes?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether events of the type of the subscription that it never got are sent too, for example those from before it was created or while it was paused. They are taken from the event log, which is kept for 7 days.",
  })
  includeUnsent?: boolean | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "A replay of this subscription that was Cancelled, Failed or TimedOut. The new run goes on where it stopped, with the same selection, so no other member may be given.",
  })
  continueRunId?: string | null;
}
