import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

const nameBounds = { minLength: 1, maxLength: 200, pattern: "\\S" };
const descriptionBounds = { maxLength: 1000 };
const scopeBounds = { minItems: 1, maxItems: 100, minLength: 1, maxLength: 100 };

@InputType()
export class CreateRoleInput {
  @Field({ description: "A letter, then letters, digits, - and _; unique in the tenant, ignoring case." })
  @Constraint({ pattern: "^[A-Za-z][A-Za-z0-9_-]{1,63}$" })
  code: string;

  @Field()
  @Constraint(nameBounds)
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint(descriptionBounds)
  description?: string | null;

  @Field(() => [String], { description: "Scopes of a tenant, a subset of the caller's own." })
  @Constraint(scopeBounds)
  scopes: string[];
}

@InputType({ description: "Members that are absent stay as they are." })
export class UpdateRoleInput {
  @Field(() => String, { nullable: true })
  @Constraint(nameBounds)
  name?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint(descriptionBounds)
  description?: string | null;

  @Field(() => [String], { nullable: true, description: "All of them; the caller holds them and those it had before." })
  @Constraint(scopeBounds)
  scopes?: string[] | null;
}

@InputType({ description: "Names a user or any other principal of the tenant, one of the two." })
export class AssignRoleInput {
  @Field(() => ID, { nullable: true })
  userId?: string | null;

  @Field(() => ID, { nullable: true, description: "A user or a client." })
  principalId?: string | null;

  @Field(() => String, { nullable: true, description: "RFC 3339, in the future. Absent: for good, or as it was." })
  @Constraint({ format: "date-time", maxLength: 40 })
  expiresAt?: string | null;
}

@InputType()
export class RoleFilterInput {
  @Field(() => Boolean, { nullable: true })
  isSystem?: boolean | null;

  @Field(() => String, { nullable: true, description: "Part of the code, ignoring case." })
  @Constraint({ maxLength: 100 })
  q?: string | null;
}
