import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type AuthModel, authModels } from "@factory/schema/vocabularies/connections";
import {
  type ProviderCategory,
  type ProviderStatus,
  providerCategories,
  providerStatuses,
} from "@factory/schema/vocabularies/providers";
import { Field, ID, InputType } from "type-graphql";
import { ProviderDriverInput } from "../provider-drivers/provider-driver.input.js";

@InputType()
export class RegisterProviderInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field({
    description:
      "At most 63 lower-case letters, digits and hyphens, unique in the tenant. The header X-Svc-Provider has this value.",
  })
  @Constraint({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$" })
  key: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName: string;

  @Field(() => enumType(providerCategories))
  category: ProviderCategory;

  @Field(() => enumType(authModels))
  authModel: AuthModel;

  @Field(() => String, {
    nullable: true,
    description: "The name of a client implementation. An unknown name means http-json.",
  })
  @Constraint({ maxLength: 200 })
  apiClient?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Names of the form <area>.<action>, in upper or lower case. They are stored and returned in lower case.",
  })
  @Constraint({ maxItems: 100, maxLength: 100, pattern: "^[A-Za-z][A-Za-z0-9-]*(\\.[A-Za-z][A-Za-z0-9-]*)+$" })
  capabilities?: string[] | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 2048, format: "iri" })
  baseUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of a preset, see vendorPresets. A text, since a release may add presets. It gives the driver, and the members apiClient, capabilities and baseUrl that are left out. The default is the preset with the name of the key.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  preset?: string | null;

  @Field(() => ProviderDriverInput, {
    nullable: true,
    description: "Its members replace those of the preset's driver.",
  })
  driver?: ProviderDriverInput | null;
}

@InputType({ description: "Members that are left out stay as they are." })
export class UpdateProviderInput {
  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The name of a client implementation. An unknown name means http-json.",
  })
  @Constraint({ maxLength: 200 })
  apiClient?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Names of the form <area>.<action>, in upper or lower case. They are stored and returned in lower case.",
  })
  @Constraint({ maxItems: 100, maxLength: 100, pattern: "^[A-Za-z][A-Za-z0-9-]*(\\.[A-Za-z][A-Za-z0-9-]*)+$" })
  capabilities?: string[] | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 2048, format: "iri" })
  baseUrl?: string | null;

  @Field(() => ProviderDriverInput, {
    nullable: true,
    description: "It replaces the driver that was given before. An empty object leaves only the preset's driver.",
  })
  driver?: ProviderDriverInput | null;
}

@InputType()
export class ProviderMoveInput {
  @Field(() => String, { nullable: true, description: "The reason is shown as statusReason and is part of the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}

@InputType({ description: "A provider must match every member that is given." })
export class ProviderFilterInput {
  @Field(() => enumType(providerStatuses), { nullable: true })
  status?: ProviderStatus | null;

  @Field(() => enumType(providerCategories), { nullable: true })
  category?: ProviderCategory | null;
}
