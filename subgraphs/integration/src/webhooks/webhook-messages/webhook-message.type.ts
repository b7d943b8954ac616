import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { AttemptFailure, AttemptOutcome } from "@factory/schema/vocabularies/webhooks";
import { attemptFailures, attemptOutcomes, webhookMessageStatuses } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { WebhookMessageState } from "./webhook-message.states.js";

export const WebhookMessageStatus = enumType(webhookMessageStatuses);

const WebhookAttemptOutcome = enumType(attemptOutcomes);

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

  @Field(() => enumType(attemptFailures), { nullable: true, description: "The kind of failure." })
  failure: AttemptFailure | null;

  @Field(() => String, { nullable: true, description: "One sentence that explains the failure. Null after a success." })
  detail: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The status that the receiver answered, for example 503. Null without a response.",
  })
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

  @Field(() => Int, { description: "The milliseconds until the end of the response, or until the failure." })
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

  @Field({ description: "A text, since a release may add event types." })
  eventType: string;

  @Field(() => WebhookMessageStatus)
  status: WebhookMessageState;

  @Field(() => Int, { description: "The number of attempts that have ended. Resends and replays add to it." })
  attemptCount: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the message is due. Null while it is Delivering, while it waits for an earlier message with the same partition key, and after its end.",
  })
  nextAttemptAt: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the message was delivered, given up or skipped. Null while it is still to be sent, also by a resend or a replay.",
  })
  finishedAt: string | null;

  /** The attempts, where they were read together with the message. Otherwise the field reads them. */
  knownAttempts?: WebhookAttemptType[];
}

export const WebhookMessageConnection = connectionType("WebhookMessage", () => WebhookMessageType, "Newest first.");
export type WebhookMessageConnection = Connection<WebhookMessageType>;

export const WebhookAttemptConnection = connectionType("WebhookAttempt", () => WebhookAttemptType, "Newest first.");
export type WebhookAttemptConnection = Connection<WebhookAttemptType>;
