import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type NotificationChannel,
  type NotificationStatus,
  notificationChannels,
  notificationStatuses,
} from "@factory/schema/vocabularies/notifications";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class NotificationFilterInput {
  @Field(() => enumType(notificationStatuses), { nullable: true })
  status?: NotificationStatus | null;

  @Field(() => enumType(notificationChannels), { nullable: true })
  channel?: NotificationChannel | null;

  @Field(() => ID, { nullable: true })
  @Constraint({ maxLength: 100 })
  recipientUserId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: in-app notifications that their recipient has not read. False: notifications that were read.",
  })
  unread?: boolean | null;
}
