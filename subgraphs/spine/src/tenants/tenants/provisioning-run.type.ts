import { Field, ID, ObjectType } from "type-graphql";
import { TenantStatus } from "./tenant.type.js";

@ObjectType("ProvisioningRun", { simpleResolvers: true })
export class ProvisioningRunType {
  @Field(() => ID)
  tenantId: string;

  @Field(() => TenantStatus)
  status: keyof typeof TenantStatus;

  @Field(() => ID, { description: "The id of the run. Every event of the run carries it." })
  runId: string;
}
