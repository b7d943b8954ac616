import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { ProvisioningService } from "./provisioning.service.js";
import { ProvisioningRunType } from "./provisioning-run.type.js";
import { RegisterTenantInput, TenantFilterInput, TenantLimitsInput, TenantMoveInput } from "./tenant.input.js";
import { sortedTenants, type TenantService } from "./tenant.service.js";
import { TenantConnection, TenantType } from "./tenant.type.js";
import type { TenantLifecycleService } from "./tenant-lifecycle.service.js";
import type { TenantLimitsService } from "./tenant-limits.service.js";

@Resolver(() => TenantType)
export class TenantResolver {
  readonly #tenants: TenantService;
  readonly #lifecycle: TenantLifecycleService;
  readonly #provisioning: ProvisioningService;
  readonly #limits: TenantLimitsService;

  constructor(
    tenants: TenantService,
    lifecycle: TenantLifecycleService,
    provisioning: ProvisioningService,
    limits: TenantLimitsService,
  ) {
    this.#tenants = tenants;
    this.#lifecycle = lifecycle;
    this.#provisioning = provisioning;
    this.#limits = limits;
  }

  @Query(() => TenantConnection, { description: "All tenants of the platform, for platform administrators." })
  @Auth({ scopes: ["tenant.read"], platformAdmin: true })
  tenants(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedTenants) sort: string | null | undefined,
    @Arg("filter", () => TenantFilterInput, { nullable: true }) filter: TenantFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TenantConnection> {
    return this.#tenants.list(context, { ...page, sort, filter });
  }

  @Query(() => TenantType, { description: "One tenant, for platform administrators." })
  @Auth({ scopes: ["tenant.read"], platformAdmin: true })
  tenant(@Arg("tenantId", () => ID) tenantId: string, @Ctx() context: RequestContext): Promise<TenantType> {
    return this.#tenants.get(context, tenantId);
  }

  @Mutation(() => TenantType, {
    description: "Suspends the tenant. Its tokens are refused and its websockets are closed within one second.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  suspendTenant(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input", () => TenantMoveInput, { nullable: true }) input: TenantMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TenantType> {
    return this.#lifecycle.move(context, "suspendTenant", { tenantId, input });
  }

  @Mutation(() => TenantType, {
    description: "Makes a suspended tenant Active again. Tokens that have not expired in the meantime are valid again.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  resumeTenant(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input", () => TenantMoveInput, { nullable: true }) input: TenantMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TenantType> {
    return this.#lifecycle.move(context, "resumeTenant", { tenantId, input });
  }

  @Mutation(() => TenantType, { description: "Archives the tenant. This cannot be undone; no data is deleted." })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  archiveTenant(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input", () => TenantMoveInput, { nullable: true }) input: TenantMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TenantType> {
    return this.#lifecycle.move(context, "archiveTenant", { tenantId, input });
  }

  @Mutation(() => TenantType, {
    description: "Registers a tenant in the state Provisioning. It can be used after provisioning.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  registerTenant(@Arg("input") input: RegisterTenantInput, @Ctx() context: RequestContext): Promise<TenantType> {
    return this.#tenants.register(context, input);
  }

  @Mutation(() => TenantType, {
    description:
      "Sets the limits of a tenant, for platform administrators. The configuration of the tenant shows them read-only, as limits.*.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  setTenantLimits(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("input") input: TenantLimitsInput,
    @Ctx() context: RequestContext,
  ): Promise<TenantType> {
    return this.#limits.set(context, tenantId, input);
  }

  @Mutation(() => ProvisioningRunType, {
    description:
      "Starts the provisioning of a tenant, or returns the run that is under way. Only the internal listener serves it.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true, internal: true })
  provisionTenant(
    @Arg("tenantId", () => ID) tenantId: string,
    @Ctx() context: RequestContext,
  ): Promise<ProvisioningRunType> {
    return this.#provisioning.request(context, tenantId);
  }
}
