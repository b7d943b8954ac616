import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type UserStatus, userStatuses } from "@factory/schema/vocabularies/people";
import { Field, InputType } from "type-graphql";
import { ClientsOfDeletedUser } from "./user.type.js";

@InputType()
export class UserFilterInput {
  @Field(() => enumType(userStatuses), {
    nullable: true,
    description: "Only users in this state. Without it, all users except deleted ones.",
  })
  status?: UserStatus | null;

  @Field(() => String, { nullable: true, description: "The complete address, ignoring case." })
  @Constraint({ maxLength: 254 })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "Only users who hold the role with this code now." })
  @Constraint({ maxLength: 64 })
  roleCode?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The beginning of the address or of the display name, ignoring case.",
  })
  @Constraint({ maxLength: 200 })
  q?: string | null;
}

@InputType()
export class DisableUserInput {
  @Field(() => ClientsOfDeletedUser, { nullable: true, defaultValue: ClientsOfDeletedUser.Disable })
  clients?: ClientsOfDeletedUser | null;
}
