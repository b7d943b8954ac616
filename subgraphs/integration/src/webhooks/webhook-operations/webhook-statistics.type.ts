import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { type AttemptFailure, attemptFailures } from "@factory/schema/vocabularies/webhooks";
import { Field, Float, ID, Int, ObjectType } from "type-graphql";

@ObjectType("WebhookFailureCount", { simpleResolvers: true })
class WebhookFailureCountType {
  @Field(() => enumType(attemptFailures), { description: "The kind of failure." })
  failure: AttemptFailure;

  @Field(() => Int, { nullable: true, description: "Null without a response." })
  statusCode: number | null;

  @Field(() => Int, { description: "The number of attempts in the period that failed in this way." })
  count: number;
}

@ObjectType("WebhookStatistics", {
  simpleResolvers: true,
  description: "The attempts of a webhook subscription in a period that ends now.",
})
export class WebhookStatisticsType {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => DateTime, { description: "The beginning of the period that was counted." })
  since: string;

  @Field(() => DateTime)
  until: string;

  @Field({
    description:
      "False when there were more than 20,000 attempts: the numbers are those of the newest ones, and since is later.",
  })
  complete: boolean;

  @Field(() => Int, {
    description: "The ended attempts that began in the period and are still kept; 20,001 stands for more than 20,000.",
  })
  attempts: number;

  @Field(() => Int, { description: "The attempts whose message the receiver accepted." })
  succeeded: number;

  @Field(() => Int, {
    description: "The attempts without success, also where a later attempt of the same message succeeded.",
  })
  failed: number;

  @Field(() => Float, { nullable: true, description: "From 0 to 1. Null without attempts." })
  failureRate: number | null;

  @Field(() => Float, { description: "The mean from since to until." })
  attemptsPerMinute: number;

  @Field(() => Int, { nullable: true, description: "Null without attempts." })
  medianDurationMs: number | null;

  @Field(() => Int, { nullable: true, description: "Nineteen of twenty attempts took at most as long." })
  p95DurationMs: number | null;

  @Field(() => Int, { nullable: true, description: "The duration of the slowest attempt. Null without attempts." })
  maxDurationMs: number | null;

  @Field(() => [WebhookFailureCountType], { description: "At most 20 kinds of failure, the most frequent first." })
  failures: WebhookFailureCountType[];

  @Field(() => DateTime, { nullable: true, description: "The newest success in the period." })
  lastSuccessAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "The time since which no attempt has succeeded." })
  failingSince: string | null;

  @Field(() => Int, { description: "The messages that are still to be sent; 20,001 stands for more than 20,000." })
  waiting: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the oldest message that is still to be sent was created. Null without one; with more than 20,000 of them, it may not be the oldest.",
  })
  oldestWaitingAt: string | null;
}
