import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import type { ProvisioningService } from "./provisioning.service.js";
import { ProvisioningRunType } from "./provisioning-run.type.js";
import { RegisterTenantInput, TenantFilterInput } from "./tenant.input.js";
import type { TenantService } from "./tenant.service.js";
import { TenantConnection, TenantType } from "./tenant.type.js";

@Resolver(() => TenantType)
export class TenantResolver {
  readonly #tenants: TenantService;
  readonly #provisioning: ProvisioningService;

  constructor(tenants: TenantService, provisioning: ProvisioningService) {
    this.#tenants = tenants;
    this.#provisioning = provisioning;
  }

  @Query(() => TenantConnection)
  @Auth({ scopes: ["tenant.read"], platformAdmin: true })
  tenants(
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @Arg("filter", () => TenantFilterInput, { nullable: true }) filter: TenantFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TenantConnection> {
    return this.#tenants.list(context, { first, after, filter });
  }

  @Mutation(() => TenantType)
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  registerTenant(@Arg("input") input: RegisterTenantInput, @Ctx() context: RequestContext): Promise<TenantType> {
    return this.#tenants.register(context, input);
  }

  @Mutation(() => ProvisioningRunType, { description: "Reachable on the internal listener only." })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true, internal: true })
  provisionTenant(
    @Arg("tenantId", () => ID) tenantId: string,
    @Ctx() context: RequestContext,
  ): Promise<ProvisioningRunType> {
    return this.#provisioning.request(context, tenantId);
  }
}
