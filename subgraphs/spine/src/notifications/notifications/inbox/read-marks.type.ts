import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType("NotificationReadMarks", { simpleResolvers: true })
export class ReadMarksType {
  @Field(() => ID)
  recipientUserId: string;

  @Field(() => Int, {
    description: "The number of in-app notifications that were marked as read now; at most 10,000 at a time.",
  })
  marked: number;

  @Field({ description: "True when more unread ones are left. Send the request again." })
  hasMore: boolean;
}
