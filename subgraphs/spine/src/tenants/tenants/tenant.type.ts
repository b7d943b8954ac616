import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { tenantLimits } from "@factory/schema/tenant-limits";
import { tenantStatuses } from "@factory/schema/vocabularies/tenants";
import { Field, Float, ID, Int, ObjectType } from "type-graphql";

export const TenantStatus = enumType(tenantStatuses);

@ObjectType("TenantLimits", {
  simpleResolvers: true,
  description: "The limits that the platform has set for the tenant, or their defaults.",
})
class TenantLimitsType {
  @Field(() => Float, { description: tenantLimits.rateLimitFactor.description })
  rateLimitFactor: number;

  @Field(() => Int, { description: tenantLimits.maxRunningExecutions.description })
  maxRunningExecutions: number;
}

/** `Tenant` in GraphQL, keyed by tenantId. */
@ObjectType("Tenant", { implements: NodeType, simpleResolvers: true })
@NodeKey("tenantId")
export class TenantType {
  @Field(() => ID)
  tenantId: string;

  @Field()
  name: string;

  @Field({ description: "Unique on the platform. It is part of URLs." })
  slug: string;

  @Field(() => TenantStatus)
  status: keyof typeof TenantStatus;

  @Field()
  editionCode: string;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => ID, { nullable: true, description: "The plan subscription. Null until the tenant is provisioned." })
  subscriptionId: string | null;

  @Field(() => ID, { nullable: true, description: "The first invitation of the owner. Null until it is sent." })
  ownerInvitationId: string | null;

  @Field(() => TenantLimitsType)
  limits: TenantLimitsType;
}

export const TenantConnection = connectionType("Tenant", () => TenantType, "In the order of creation.");
export type TenantConnection = Connection<TenantType>;
