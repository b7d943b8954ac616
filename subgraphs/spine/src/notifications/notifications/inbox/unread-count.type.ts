import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("NotificationUnreadCount", { simpleResolvers: true })
export class UnreadCountType {
  @Field(() => ID)
  recipientUserId: string;

  @Field(() => Int, { description: "The number of unread in-app notifications; at most 1,000 are counted." })
  unread: number;

  @Field({ description: "True when there may be more than are counted." })
  isCapped: boolean;
}
