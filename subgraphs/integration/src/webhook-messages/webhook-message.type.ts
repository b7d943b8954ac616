import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import type { AttemptFailure, AttemptOutcome, WebhookMessageState } from "./webhook-message.states.js";

export const WebhookMessageStatus = {
  Pending: "Pending",
  Delivering: "Delivering",
  RetryScheduled: "RetryScheduled",
  Delivered: "Delivered",
  Exhausted: "Exhausted",
  Aborted: "Aborted",
  Skipped: "Skipped",
} as const satisfies { [State in WebhookMessageState]: State };
registerEnumType(WebhookMessageStatus, { name: "WebhookMessageStatus" });

export const WebhookAttemptOutcome = {
  Succeeded: "Succeeded",
  Failed: "Failed",
} as const satisfies { [Outcome in AttemptOutcome]: Outcome };
registerEnumType(WebhookAttemptOutcome, { name: "WebhookAttemptOutcome" });

@ObjectType("WebhookAttempt", { simpleResolvers: true })
export class WebhookAttemptType {
  @Field(() => ID)
  attemptId: string;

  @Field(() => Int, { description: "The number of the attempt, from 1." })
  number: number;

  @Field(() => WebhookAttemptOutcome)
  outcome: AttemptOutcome;

  @Field(() => String, {
    nullable: true,
    description: "The kind of failure, for example HttpStatus, Timeout, ConnectFailed or TargetBlocked.",
  })
  failure: AttemptFailure | null;

  @Field(() => String, { nullable: true })
  detail: string | null;

  @Field(() => Int, { nullable: true })
  statusCode: number | null;

  @Field(() => String, { nullable: true, description: "The first 16 KiB of the response body." })
  responseBody: string | null;

  @Field(() => DateTime)
  startedAt: string;

  @Field(() => Int)
  durationMs: number;
}

@ObjectType("WebhookMessage", { simpleResolvers: true })
export class WebhookMessageType {
  @Field(() => ID)
  messageId: string;

  @Field(() => ID, { description: "The value of the header webhook-id. It is the same in every attempt." })
  eventId: string;

  @Field()
  eventType: string;

  @Field(() => WebhookMessageStatus)
  status: WebhookMessageState;

  @Field(() => Int)
  attemptCount: number;

  @Field(() => DateTime, { nullable: true })
  nextAttemptAt: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, { nullable: true })
  finishedAt: string | null;

  @Field(() => [WebhookAttemptType], { description: "The attempts, oldest first." })
  attempts: WebhookAttemptType[];
}
