import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { NotificationChannel, NotificationPriority } from "@factory/schema/vocabularies/notifications";
import {
  notificationChannels,
  notificationPriorities,
  notificationStatuses,
} from "@factory/schema/vocabularies/notifications";
import { Field, ID, ObjectType } from "type-graphql";
import type { NotificationState } from "./notification.states.js";

export const NotificationStatusEnum = enumType(notificationStatuses);

export const NotificationChannelEnum = enumType(notificationChannels);

const NotificationPriorityEnum = enumType(notificationPriorities);

@ObjectType("NotificationRecipient", {
  simpleResolvers: true,
  description: "One of its members is set, unless it is the address of a deleted user.",
})
export class NotificationRecipientType {
  @Field(() => ID, {
    nullable: true,
    description: "A user, for InApp and Email. In Email, the present address of the user is taken.",
  })
  userId: string | null;

  @Field(() => String, { nullable: true, description: "An address, for Email if no user is named." })
  email: string | null;

  @Field(() => String, { nullable: true, description: "A number in the form of E.164, for Sms: `+14155550100`." })
  phone: string | null;

  @Field(() => ID, { nullable: true, description: "A webhook subscription." })
  subscriptionId: string | null;
}

@ObjectType("Notification", {
  implements: NodeType,
  simpleResolvers: true,
  description: "The notifications to a deleted user have no content any more, and are deleted soon after.",
})
@NodeKey("notificationId")
export class NotificationType {
  @Field(() => ID)
  notificationId: string;

  @Field(() => ID, { description: "The request or broadcast to which the notification belongs." })
  messageId: string;

  @Field(() => NotificationChannelEnum)
  channel: NotificationChannel;

  @Field()
  category: string;

  @Field(() => NotificationPriorityEnum)
  priority: NotificationPriority;

  @Field(() => NotificationRecipientType)
  recipient: NotificationRecipientType;

  @Field(() => String, {
    nullable: true,
    description: "Null if the notification was sent without a title, and for a deleted user.",
  })
  title: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Plain text. With a template: its paragraphs with their values, and the link. Null for a deleted user.",
  })
  body: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The template from which title and body were made. Null if they were sent as they are.",
  })
  templateKey: string | null;

  @Field(() => NotificationStatusEnum)
  status: NotificationState;

  @Field(() => String, { nullable: true, description: "A code or a sentence. Null unless the notification is Failed." })
  failureReason: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time at which the channel took the notification. Null before, and if the channel never took it.",
  })
  sentAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The time at which a vendor of mails or text messages reported the arrival. Null without such a report, as in InApp and Webhook.",
  })
  deliveredAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time at which the notification was marked as read. Null before.",
  })
  readAt: string | null;
}

export const NotificationConnection = connectionType(
  "Notification",
  () => NotificationType,
  "In the order of creation, unless another order is asked for.",
);
export type NotificationConnection = Connection<NotificationType>;
