import { enumType } from "@factory/runtime/graphql/enum-type";
import {
  type AttemptOutcome,
  attemptOutcomes,
  type WebhookMessageStatus,
  webhookMessageStatuses,
} from "@factory/schema/vocabularies/webhooks";
import { Field, InputType } from "type-graphql";

@InputType()
export class WebhookMessageFilterInput {
  @Field(() => enumType(webhookMessageStatuses), { nullable: true })
  status?: WebhookMessageStatus | null;
}

@InputType()
export class WebhookAttemptFilterInput {
  @Field(() => enumType(attemptOutcomes), { nullable: true })
  outcome?: AttemptOutcome | null;
}
