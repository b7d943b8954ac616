import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
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

const WebhookAttemptOutcome = {
  Succeeded: "Succeeded",
  Failed: "Failed",
} as const satisfies { [Outcome in AttemptOutcome]: Outcome };
registerEnumType(WebhookAttemptOutcome, { name: "WebhookAttemptOutcome" });

@ObjectType("WebhookAttempt", { implements: NodeType, simpleResolvers: true })
@NodeKey("attemptId")
export class WebhookAttemptType {
  @Field(() => ID)
  attemptId: string;

  @Field(() => ID)
  messageId: string;

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

  @Field(() => String, { nullable: true, description: "The URL of the request. Null when nothing was sent." })
  requestUrl: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "The headers of the request. Values that could be secrets are [redacted]. Null when nothing was sent.",
  })
  requestHeaders: Record<string, string> | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "At most 32 headers of the response, with at most 256 characters each. Values that could be secrets are [redacted]. Null without a response.",
  })
  responseHeaders: Record<string, string> | null;

  @Field(() => String, { nullable: true, description: "The first 16 KiB of the response body." })
  responseBody: string | null;

  @Field(() => DateTime)
  startedAt: string;

  @Field(() => Int)
  durationMs: number;
}

@ObjectType("WebhookMessage", { implements: NodeType, simpleResolvers: true })
@NodeKey("messageId")
export class WebhookMessageType {
  @Field(() => ID)
  messageId: string;

  @Field(() => ID)
  subscriptionId: string;

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

  /** The attempts, where they were read together with the message. Otherwise the field reads them. */
  knownAttempts?: WebhookAttemptType[];
}

export const WebhookMessageConnection = connectionType("WebhookMessage", () => WebhookMessageType, "Newest first.");
export type WebhookMessageConnection = Connection<WebhookMessageType>;

export const WebhookAttemptConnection = connectionType("WebhookAttempt", () => WebhookAttemptType, "Newest first.");
export type WebhookAttemptConnection = Connection<WebhookAttemptType>;
