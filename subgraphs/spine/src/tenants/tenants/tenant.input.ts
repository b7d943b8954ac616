import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { tenantLimits } from "@factory/schema/tenant-limits";
import { type TenantStatus, tenantStatuses } from "@factory/schema/vocabularies/tenants";
import { Field, Float, InputType, Int } from "type-graphql";
import { slugPattern } from "./slug.js";

@InputType()
export class RegisterTenantInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field({ description: "3 to 63 lower-case letters, digits and hyphens. It must not begin or end with a hyphen." })
  @Constraint({ pattern: slugPattern })
  slug: string;

  @Field({ description: "The code of an edition that is not retired, for example Free, Standard or Enterprise." })
  @Constraint({ minLength: 1, maxLength: 100 })
  editionCode: string;

  @Field({ description: "The address that is invited as the first owner of the tenant." })
  @Constraint({ maxLength: 254, format: "idn-email" })
  ownerEmail: string;
}

@InputType()
export class TenantMoveInput {
  @Field(() => String, { nullable: true, description: "The reason for the change. It is stored in the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}

@InputType({ description: "A limit that is left out stays unchanged. Null restores the default." })
export class TenantLimitsInput {
  @Field(() => Float, { nullable: true, description: tenantLimits.rateLimitFactor.description })
  rateLimitFactor?: number | null;

  @Field(() => Int, { nullable: true, description: tenantLimits.maxRunningExecutions.description })
  maxRunningExecutions?: number | null;
}

@InputType()
export class TenantFilterInput {
  @Field(() => enumType(tenantStatuses), { nullable: true })
  status?: TenantStatus | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  slug?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  editionCode?: string | null;
}
