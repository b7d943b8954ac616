import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("NotificationBroadcast", { simpleResolvers: true })
export class BroadcastType {
  @Field(() => ID, { description: "All notifications of the broadcast have this messageId." })
  messageId: string;

  @Field(() => Int, {
    description: "The number of users who have the notification now. Users who switched the category off have none.",
  })
  recipientCount: number;

  @Field({ description: "False when there are more than 10,000 recipients. The others follow within seconds." })
  isComplete: boolean;

  @Field(() => DateTime)
  createdAt: string;
}
