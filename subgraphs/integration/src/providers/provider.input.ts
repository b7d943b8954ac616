import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";
import type { ProviderState } from "./provider.states.js";
import { ProviderStatus } from "./provider.type.js";

@InputType()
export class RegisterProviderInput {
  @Field(() => ID, { nullable: true, description: "The caller's own tenant, or absent." })
  tenantId?: string | null;

  @Field({
    description:
      "Lower-case letters, digits and hyphens, at most 63; unique in the tenant; the value of X-Svc-Provider.",
  })
  @Constraint({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$" })
  key: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  displayName: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  category: string;

  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  authModel: string;

  @Field(() => String, { nullable: true, description: "Name of a client implementation; unknown names use http-json." })
  @Constraint({ maxLength: 200 })
  apiClient?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Dotted names, <area>.<action>, in any case; kept and answered in lower case.",
  })
  @Constraint({ maxItems: 100, maxLength: 100, pattern: "^[A-Za-z][A-Za-z0-9-]*(\\.[A-Za-z][A-Za-z0-9-]*)+$" })
  capabilities?: string[] | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 2048, format: "uri" })
  baseUrl?: string | null;
}

@InputType()
export class ProviderMoveInput {
  @Field(() => String, { nullable: true, description: "Shown as statusReason and told in the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}

@InputType({ description: "All that are given must hold." })
export class ProviderFilterInput {
  @Field(() => ProviderStatus, { nullable: true })
  status?: ProviderState | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  category?: string | null;
}
