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
  @Field(() => ID, { nullable: true })
  userId: string | null;

  @Field(() => String, { nullable: true })
  email: string | null;

  @Field(() => String, { nullable: true })
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

  @Field(() => String, { nullable: true })
  title: string | null;

  @Field(() => String, { nullable: true })
  body: string | null;

  @Field(() => String, { nullable: true })
  templateKey: string | null;

  @Field(() => NotificationStatusEnum)
  status: NotificationState;

  @Field(() => String, { nullable: true, description: "A code or a sentence. Null unless the notification is Failed." })
  failureReason: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, { nullable: true })
  sentAt: string | null;

  @Field(() => DateTime, { nullable: true })
  deliveredAt: string | null;

  @Field(() => DateTime, { nullable: true })
  readAt: string | null;
}

export const NotificationConnection = connectionType(
  "Notification",
  () => NotificationType,
  "In the order of creation, unless another order is asked for.",
);
export type NotificationConnection = Connection<NotificationType>;
