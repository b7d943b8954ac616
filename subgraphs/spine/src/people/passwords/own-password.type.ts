import { enumType } from "@factory/runtime/graphql/enum-type";
import { type PasswordChangeStatus, passwordStatuses } from "@factory/schema/vocabularies/people";
import { Field, ObjectType } from "type-graphql";

@ObjectType("PasswordStatus", { simpleResolvers: true })
export class PasswordStatusType {
  @Field(() => enumType(passwordStatuses))
  status: PasswordChangeStatus;
}
