import { Field, ObjectType } from "type-graphql";

@ObjectType("PasswordStatus", { simpleResolvers: true })
export class PasswordStatusType {
  @Field({ description: "Changed, or ResetRequested: a mail is sent if the address has a user." })
  status: string;
}
