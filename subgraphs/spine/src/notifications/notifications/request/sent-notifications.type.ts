import { DateTime } from "@factory/runtime/graphql/scalars";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { Field, ID, ObjectType } from "type-graphql";
import type { NotificationState } from "../record/notification.states.js";
import {
  NotificationChannelEnum,
  NotificationRecipientType,
  NotificationStatusEnum,
} from "../record/notification.type.js";

@ObjectType("SentNotifications", { simpleResolvers: true })
export class SentNotificationsType {
  @Field(() => ID, { description: "The notification to the first recipient." })
  notificationId: string;

  @Field(() => [ID], { description: "One notification for each recipient, in the order of the request." })
  notificationIds: string[];

  @Field(() => ID)
  messageId: string;

  @Field(() => NotificationChannelEnum)
  channel: NotificationChannel;

  @Field(() => NotificationRecipientType, { description: "The first recipient." })
  recipient: NotificationRecipientType;

  @Field(() => String, {
    nullable: true,
    description: "The title that was sent. Null without one, and after its erasure.",
  })
  title: string | null;

  @Field(() => String, { nullable: true, description: "The text that was sent. Null after its erasure." })
  body: string | null;

  @Field(() => NotificationStatusEnum, {
    description:
      "The state of the first notification: Queued; in the channel InApp Sent, or Failed where its recipient has switched the category off.",
  })
  status: NotificationState;

  @Field(() => DateTime)
  createdAt: string;
}
