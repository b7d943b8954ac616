import { Field, ID, ObjectType } from "type-graphql";
import { TenantStatus } from "./tenant.type.js";

@ObjectType("ProvisioningRun", { simpleResolvers: true })
export class ProvisioningRunType {
  @Field(() => ID)
  tenantId: string;

  @Field(() => TenantStatus)
  status: keyof typeof TenantStatus;

  @Field(() => ID, { description: "Stands in every event of this run." })
  runId: string;
}
