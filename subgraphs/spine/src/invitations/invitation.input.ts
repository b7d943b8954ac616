import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class InviteUserInput {
  @Field()
  @Constraint({ maxLength: 254, format: "email" })
  email: string;

  @Field(() => [String], { description: "Codes of roles whose scopes the caller holds himself." })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 64 })
  roleCodes: string[];

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;
}

@InputType()
export class AcceptInvitationInput {
  @Field({ description: "From the link of the invitation." })
  @Constraint({ minLength: 1, maxLength: 200 })
  token: string;

  @Field({ description: "Neither common nor the e-mail address." })
  @Constraint({ minLength: 8, maxLength: 128 })
  password: string;

  @Field(() => String, { nullable: true, description: "Defaults to the one that was invited." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;
}

@InputType()
export class InvitationFilterInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  status?: string | null;
}
