import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType, Int } from "type-graphql";

const nameLimits = { minLength: 1, maxLength: 200, pattern: "\\S" };
const descriptionLimits = { maxLength: 1000 };
const trialLimits = { minimum: 0, maximum: 365 };
const featuresDescription =
  "The complete list of features by key, each with its kind and the members of its kind. At most 100 features.";
/** `selfService`, which editions and their inputs have. */
export const selfServiceDescription =
  "Whether a tenant may activate the edition itself. Where it is false, a platform administrator does, by activateTenantPlanSubscription: a tenant can neither change to the edition nor bring it back after PastDue, Suspended, Cancelled or Expired.";

@InputType()
export class CreateEditionInput {
  @Field({ description: "2 to 64 characters: a letter, then letters, digits, - and _. It cannot be changed." })
  @Constraint({ pattern: "^[A-Za-z][A-Za-z0-9_-]{1,63}$" })
  code: string;

  @Field()
  @Constraint(nameLimits)
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint(descriptionLimits)
  description?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The days of a new tenant's trial. Default: 0, which means no trial.",
  })
  @Constraint(trialLimits)
  trialDays?: number | null;

  @Field(() => JsonObject, { description: featuresDescription })
  features: Record<string, unknown>;

  @Field(() => Boolean, { nullable: true, description: `${selfServiceDescription} Default: true.` })
  selfService?: boolean | null;
}

@InputType({ description: "Members that are left out stay unchanged." })
export class UpdateEditionInput {
  @Field(() => String, { nullable: true })
  @Constraint(nameLimits)
  name?: string | null;

  @Field(() => String, { nullable: true, description: "An empty text removes the description." })
  @Constraint(descriptionLimits)
  description?: string | null;

  @Field(() => Int, { nullable: true, description: "The days of a new tenant's trial. 0 means no trial." })
  @Constraint(trialLimits)
  trialDays?: number | null;

  @Field(() => JsonObject, { nullable: true, description: featuresDescription })
  features?: Record<string, unknown> | null;

  @Field(() => Boolean, { nullable: true, description: selfServiceDescription })
  selfService?: boolean | null;
}

@InputType()
export class EditionFilterInput {
  @Field(() => Boolean, { nullable: true })
  active?: boolean | null;
}
