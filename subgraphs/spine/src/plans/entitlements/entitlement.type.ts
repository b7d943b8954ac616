import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime, Json } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import {
  type EntitlementReason,
  entitlementReasons,
  type FeatureKind,
  featureKinds,
} from "@factory/schema/vocabularies/plans";
import { Field, Float, ObjectType } from "type-graphql";

@ObjectType("Entitlement", {
  simpleResolvers: true,
  description: "One feature of the tenant's plan, with its limit and usage.",
})
export class EntitlementType {
  @Field({ description: "For example executions.monthly." })
  featureKey: string;

  @Field(() => enumType(featureKinds))
  kind: FeatureKind;

  @Field({ description: "Whether one more use is allowed now." })
  allowed: boolean;

  @Field(() => enumType(entitlementReasons))
  reason: EntitlementReason;

  @Field({ description: "The edition that the tenant has subscribed to." })
  editionCode: string;

  @Field(() => Float, { nullable: true, description: "Null: unlimited, or a feature without a limit." })
  limit: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Null where the usage is not counted here: the feature has none, or it is unlimited or counted elsewhere.",
  })
  usage: number | null;

  @Field(() => Float, { nullable: true, description: "The unused part of the limit. Null: unlimited or unknown." })
  remaining: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time at which the usage starts from zero. Null for a feature without a period.",
  })
  resetAt: string | null;

  @Field({ description: "Usage above a soft limit is allowed and counted." })
  softLimit: boolean;

  @Field(() => Json, { nullable: true, description: "The value of a feature of kind config." })
  value: unknown;
}

const description = "One page of the features of the tenant's edition.";

/** A page with entitlements. */
export const EntitlementConnection = connectionType("Entitlement", () => EntitlementType, description);
export type EntitlementConnection = Connection<EntitlementType>;
