import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("UserConfirmation", {
  simpleResolvers: true,
  description: "The fact that a new user is another person than those who invited it.",
})
export class UserConfirmationType {
  @Field(() => ID)
  userId: string;

  @Field({ description: "The user or client that confirmed." })
  confirmedBy: string;

  @Field(() => DateTime)
  confirmedAt: string;
}
