import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { AssignRoleInput } from "./role.input.js";
import { AssignedRoleType, RoleAssignmentConnection, RoleAssignmentType } from "./role.type.js";
import { type RoleAssignmentService, sortedAssignments } from "./role-assignment.service.js";

@Resolver(() => RoleAssignmentType)
export class RoleAssignmentResolver {
  readonly #assignments: RoleAssignmentService;

  constructor(assignments: RoleAssignmentService) {
    this.#assignments = assignments;
  }

  @Query(() => RoleAssignmentConnection, {
    description: "The assignments of a role. Expired assignments are not shown.",
  })
  @Auth({ scopes: ["role.read"] })
  roleAssignments(
    @Arg("roleId", () => ID) roleId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedAssignments) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RoleAssignmentConnection> {
    return this.#assignments.list(context, roleId, { ...page, sort });
  }

  @Mutation(() => AssignedRoleType, {
    description:
      "Assigns a role to a user or client. If the principal holds the role already, the existing assignment is returned.",
  })
  @Auth({ scopes: ["role.assign"] })
  assignRole(
    @Arg("roleId", () => ID) roleId: string,
    @Arg("input") input: AssignRoleInput,
    @Ctx() context: RequestContext,
  ): Promise<AssignedRoleType> {
    return this.#assignments.assign(context, roleId, input);
  }

  @Mutation(() => RoleAssignmentType, {
    description: "Removes an assignment. Tokens that carry the scopes of the role are refused from then on.",
  })
  @Auth({ scopes: ["role.assign"] })
  unassignRole(
    @Arg("roleId", () => ID) roleId: string,
    @Arg("assignmentId", () => ID) assignmentId: string,
    @Ctx() context: RequestContext,
  ): Promise<RoleAssignmentType> {
    return this.#assignments.unassign(context, roleId, assignmentId);
  }
}
