import { Auth } from "@factory/runtime/graphql/auth";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { CreateRoleInput, RoleFilterInput, UpdateRoleInput } from "./role.input.js";
import { type RoleService, sortedRoles } from "./role.service.js";
import { RoleConnection, RoleType } from "./role.type.js";

/** There is no scope for making roles: who may assign them may make them, both within what he holds himself. */
@Resolver(() => RoleType)
export class RoleResolver {
  readonly #roles: RoleService;

  constructor(roles: RoleService) {
    this.#roles = roles;
  }

  @Query(() => RoleConnection, { description: "The roles of the tenant, those of the platform among them." })
  @Auth({ scopes: ["role.read"] })
  roles(
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @SortArg(sortedRoles) sort: string | null | undefined,
    @Arg("filter", () => RoleFilterInput, { nullable: true }) filter: RoleFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RoleConnection> {
    return this.#roles.list(context, { first, after, sort, filter });
  }

  @Query(() => RoleType)
  @Auth({ scopes: ["role.read"] })
  role(@Arg("roleId", () => ID) roleId: string, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.get(context, roleId);
  }

  @Mutation(() => RoleType, { description: "A role of the tenant's own, within the caller's scopes." })
  @Auth({ scopes: ["role.assign"] })
  createRole(@Arg("input") input: CreateRoleInput, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.create(context, input);
  }

  @Mutation(() => RoleType, { description: "Its holders' tokens are refused when it loses a scope." })
  @Auth({ scopes: ["role.assign"] })
  updateRole(
    @Arg("roleId", () => ID) roleId: string,
    @Arg("input") input: UpdateRoleInput,
    @Ctx() context: RequestContext,
  ): Promise<RoleType> {
    return this.#roles.update(context, roleId, input);
  }

  @Mutation(() => RoleType, { description: "Takes it from whoever holds it; answers what it was." })
  @Auth({ scopes: ["role.assign"] })
  deleteRole(@Arg("roleId", () => ID) roleId: string, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.delete(context, roleId);
  }
}
