import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateRoleInput, RoleFilterInput, UpdateRoleInput } from "./role.input.js";
import { type RoleService, sortedRoles } from "./role.service.js";
import { RoleConnection, RoleType } from "./role.type.js";

/** `role.assign` also covers creating and changing roles; both are limited to the scopes in the caller's token. */
@Resolver(() => RoleType)
export class RoleResolver {
  readonly #roles: RoleService;

  constructor(roles: RoleService) {
    this.#roles = roles;
  }

  @Query(() => RoleConnection, { description: "The roles of the tenant, including the system roles." })
  @Auth({ scopes: ["role.read"] })
  roles(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedRoles) sort: string | null | undefined,
    @Arg("filter", () => RoleFilterInput, { nullable: true }) filter: RoleFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RoleConnection> {
    return this.#roles.list(context, { ...page, sort, filter });
  }

  @Query(() => RoleType, { description: "One role of the tenant." })
  @Auth({ scopes: ["role.read"] })
  role(@Arg("roleId", () => ID) roleId: string, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.get(context, roleId);
  }

  @Mutation(() => RoleType, {
    description: "Creates a role of the tenant. The token of the caller must hold all its scopes.",
  })
  @Auth({ scopes: ["role.assign"] })
  createRole(@Arg("input") input: CreateRoleInput, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.create(context, input);
  }

  @Mutation(() => RoleType, {
    description: "Changes a role of the tenant. If the role loses a scope, the tokens of its holders are refused.",
  })
  @Auth({ scopes: ["role.assign"] })
  updateRole(
    @Arg("roleId", () => ID) roleId: string,
    @Arg("input") input: UpdateRoleInput,
    @Ctx() context: RequestContext,
  ): Promise<RoleType> {
    return this.#roles.update(context, roleId, input);
  }

  @Mutation(() => RoleType, {
    description: "Deletes a role of the tenant together with its assignments, and returns the deleted role.",
  })
  @Auth({ scopes: ["role.assign"] })
  deleteRole(@Arg("roleId", () => ID) roleId: string, @Ctx() context: RequestContext): Promise<RoleType> {
    return this.#roles.delete(context, roleId);
  }
}
