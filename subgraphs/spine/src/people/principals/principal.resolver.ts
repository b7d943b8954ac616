import type { Principal } from "@factory/runtime/auth/principal";
import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import { Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { TenantService } from "../../tenants/tenants/tenant.service.js";
import { TenantType } from "../../tenants/tenants/tenant.type.js";
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

  // no scope is needed: the result repeats what the caller's token contains
  @Query(() => PrincipalView)
  @Auth({})
  me(@Ctx() context: RequestContext): PrincipalView {
    return principalView(principalOf(context));
  }

  @FieldResolver(() => UserType, {
    nullable: true,
    description:
      "The user of the token, for a first-party client or a token with `openid` or `user.read`. Null for other tokens and for services.",
  })
  async user(@Root() { subject }: PrincipalView, @Ctx() context: RequestContext): Promise<UserType | null> {
    return showsPerson(principalOf(context)) ? ((await this.#users.find(context, subject)) ?? null) : null;
  }

  @FieldResolver(() => TenantType, {
    nullable: true,
    description: "The tenant as it is now. Null for a token that does not belong to a tenant.",
  })
  async tenant(@Root() { tenantId }: PrincipalView, @Ctx() context: RequestContext): Promise<TenantType | null> {
    return tenantId === null ? null : ((await this.#tenants.find(context, tenantId)) ?? null);
  }
}

/** A third-party client or an agent sees the user only if the user agreed to that. */
function showsPerson({ firstParty, scopes }: Principal): boolean {
  const agreedScopes: ReadonlySet<string> = scopes;
  return firstParty === true || agreedScopes.has("openid") || agreedScopes.has("user.read");
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
