import type { Principal } from "@factory/runtime/auth/principal";
import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import { Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { TenantService } from "../tenants/tenant.service.js";
import { TenantType } from "../tenants/tenant.type.js";
import type { UserService } from "../users/user.service.js";
import { UserType } from "../users/user.type.js";
import { PrincipalView } from "./principal.type.js";

@Resolver(() => PrincipalView)
export class PrincipalResolver {
  readonly #users: Pick<UserService, "find">;
  readonly #tenants: Pick<TenantService, "find">;

  constructor(users: Pick<UserService, "find">, tenants: Pick<TenantService, "find">) {
    this.#users = users;
    this.#tenants = tenants;
  }

  // no scope: it says what the caller's own token says
  @Query(() => PrincipalView)
  @Auth({})
  me(@Ctx() context: RequestContext): PrincipalView {
    return principalView(principalOf(context));
  }

  @FieldResolver(() => UserType, { nullable: true, description: "The caller's own record; null for services." })
  async user(@Root() { subject }: PrincipalView, @Ctx() context: RequestContext): Promise<UserType | null> {
    return (await this.#users.find(context, subject)) ?? null;
  }

  @FieldResolver(() => TenantType, { nullable: true })
  async tenant(@Root() { tenantId }: PrincipalView, @Ctx() context: RequestContext): Promise<TenantType | null> {
    return tenantId === null ? null : ((await this.#tenants.find(context, tenantId)) ?? null);
  }
}

function principalView(principal: Principal): PrincipalView {
  const { principalType, subject, clientId, platformAdmin } = principal;
  return {
    principalType,
    subject,
    clientId,
    platformAdmin,
    tenantId: principal.tenantId ?? null,
    tenantSlug: principal.tenantSlug ?? null,
    scopes: [...principal.scopes].sort(),
    roles: [...principal.roles],
    agentTaskId: principal.agentTaskId ?? null,
    expiresAt: new Date(principal.expiresAt * 1000).toISOString(),
  };
}
