import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

const rules =
  "8 to 128 characters, or more than 8 where the tenant requires it. Must not be a common password or the e-mail address.";

@InputType()
export class ChangeOwnPasswordInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 128 })
  currentPassword: string;

  @Field({ description: rules })
  @Constraint({ minLength: 8, maxLength: 128 })
  newPassword: string;
}

@InputType()
export class RequestPasswordResetInput {
  @Field({ description: "The address of the user. The answer is the same for an address without a user." })
  @Constraint({ minLength: 1, maxLength: 254 })
  email: string;

  @Field(() => String, {
    nullable: true,
    description: "The slug of one tenant. Without it, the users with this address in all tenants get a mail.",
  })
  @Constraint({ minLength: 1, maxLength: 63 })
  tenantSlug?: string | null;
}

@InputType()
export class ResetPasswordInput {
  @Field({ description: "The value of `token` in the link of the mail." })
  @Constraint({ minLength: 1, maxLength: 200 })
  token: string;

  @Field({ description: rules })
  @Constraint({ minLength: 8, maxLength: 128 })
  password: string;
}
