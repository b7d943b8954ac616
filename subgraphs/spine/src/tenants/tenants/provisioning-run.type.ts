import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { Field, ID, ObjectType } from "type-graphql";
import { TenantStatus } from "./tenant.type.js";

@ObjectType("ProvisioningRun", {
  implements: NodeType,
  simpleResolvers: true,
  description: "One set-up of a tenant.",
})
@NodeKey("runId")
export class ProvisioningRunType {
  @Field(() => ID)
  tenantId: string;

  @Field(() => TenantStatus, {
    description:
      "The state of the tenant to which the run leads: Provisioning until it ends, then Active or ProvisioningFailed.",
  })
  status: keyof typeof TenantStatus;

  @Field(() => ID, { description: "The id of the run. Every event of the run carries it." })
  runId: string;
}
