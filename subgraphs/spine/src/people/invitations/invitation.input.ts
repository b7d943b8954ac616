import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type InvitationStatus, invitationStatuses } from "@factory/schema/vocabularies/people";
import { Field, InputType } from "type-graphql";

@InputType()
export class InviteUserInput {
  @Field()
  @Constraint({ maxLength: 254, format: "idn-email" })
  email: string;

  @Field(() => [String], {
    description: "Codes of roles of the tenant. The token of the caller must hold all their scopes.",
  })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 64 })
  roleCodes: string[];

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;
}

@InputType()
export class AcceptInvitationInput {
  @Field({ description: "The value of `token` in the link of the invitation." })
  @Constraint({ minLength: 1, maxLength: 200 })
  token: string;

  @Field({
    description:
      "8 to 128 characters, or more than 8 where the tenant requires it. Must not be a common password or the e-mail address.",
  })
  @Constraint({ minLength: 8, maxLength: 128 })
  password: string;

  @Field(() => String, { nullable: true, description: "Without it, the name in the invitation is used." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;
}

@InputType()
export class InvitationFilterInput {
  @Field(() => enumType(invitationStatuses), { nullable: true })
  status?: InvitationStatus | null;
}
