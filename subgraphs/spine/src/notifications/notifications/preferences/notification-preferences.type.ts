import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { Field, ID, ObjectType } from "type-graphql";
import { NotificationChannelEnum } from "../record/notification.type.js";

@ObjectType("NotificationPreference", { simpleResolvers: true })
export class NotificationPreferenceType {
  @Field(() => NotificationChannelEnum)
  channel: NotificationChannel;

  @Field({ description: "A category, or * for all categories of the channel that are not in the list." })
  category: string;

  @Field()
  enabled: boolean;
}

@ObjectType("NotificationPreferences", { simpleResolvers: true })
export class NotificationPreferencesType {
  @Field(() => ID)
  recipientUserId: string;

  @Field(() => [NotificationPreferenceType], { description: "A channel and category without one is switched on." })
  preferences: NotificationPreferenceType[];

  @Field(() => [String], { description: "Categories that cannot be switched off." })
  lockedCategories: string[];
}
