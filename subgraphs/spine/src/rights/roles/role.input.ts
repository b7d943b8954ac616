import { Constraint } from "@factory/runtime/input-validation/constraint";
import { tenantScopes } from "@factory/schema/scopes";
import { Field, ID, InputType } from "type-graphql";

const nameLimits = { minLength: 1, maxLength: 200, pattern: "\\S" };
const descriptionLimits = { maxLength: 1000 };
const scopeLimits = { minItems: 1, maxItems: 100, values: tenantScopes };

@InputType()
export class CreateRoleInput {
  @Field({
    description: "2 to 64 characters: a letter, then letters, digits, - and _. Unique in the tenant, ignoring case.",
  })
  @Constraint({ pattern: "^[A-Za-z][A-Za-z0-9_-]{1,63}$" })
  code: string;

  @Field()
  @Constraint(nameLimits)
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint(descriptionLimits)
  description?: string | null;

  @Field(() => [String], {
    description:
      "Scopes of a tenant. The token of the caller must hold all of them. Texts, since names with dots are not GraphQL names.",
  })
  @Constraint(scopeLimits)
  scopes: string[];
}

@InputType({ description: "Members that are left out stay unchanged." })
export class UpdateRoleInput {
  @Field(() => String, { nullable: true })
  @Constraint(nameLimits)
  name?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint(descriptionLimits)
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "The complete new list. The token of the caller must hold these scopes and the former ones. Texts, since names with dots are not GraphQL names.",
  })
  @Constraint(scopeLimits)
  scopes?: string[] | null;
}

@InputType({ description: "Names the principal by userId or by principalId, not by both." })
export class AssignRoleInput {
  @Field(() => ID, { nullable: true })
  userId?: string | null;

  @Field(() => ID, { nullable: true, description: "The id of a user or of a client." })
  principalId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "RFC 3339, in the future. Without it the assignment does not expire, and an existing one keeps its expiry.",
  })
  @Constraint({ format: "date-time", maxLength: 40 })
  expiresAt?: string | null;
}

@InputType()
export class RoleFilterInput {
  @Field(() => Boolean, { nullable: true })
  isSystem?: boolean | null;

  @Field(() => String, { nullable: true, description: "A part of the code, ignoring case." })
  @Constraint({ maxLength: 100 })
  q?: string | null;
}
