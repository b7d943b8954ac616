import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { unknownUser } from "./find-users.js";
import { DisableUserInput, UserFilterInput } from "./user.input.js";
import { sortedUsers, type UserService } from "./user.service.js";
import { ClientsOfDeletedUser, DeletedUserType, UserConnection, UserType } from "./user.type.js";
import type { UserLifecycleService } from "./user-lifecycle.service.js";

@Resolver(() => UserType)
export class UserResolver {
  readonly #users: UserService;
  readonly #lifecycle: UserLifecycleService;

  constructor(users: UserService, lifecycle: UserLifecycleService) {
    this.#users = users;
    this.#lifecycle = lifecycle;
  }

  @Query(() => UserConnection, {
    description: "The users of the tenant. Deleted users are listed only if the filter asks for their status.",
  })
  @Auth({ scopes: ["user.read"] })
  users(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedUsers) sort: string | null | undefined,
    @Arg("filter", () => UserFilterInput, { nullable: true }) filter: UserFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<UserConnection> {
    return this.#users.list(context, { ...page, sort, filter });
  }

  @Query(() => UserType, { description: "One user of the tenant." })
  @Auth({ scopes: ["user.read"] })
  async user(@Arg("userId", () => ID) userId: string, @Ctx() context: RequestContext): Promise<UserType> {
    const user = await this.#users.find(context, userId);
    if (!user) throw unknownUser();
    return user;
  }

  @Mutation(() => UserType, {
    description:
      "Disables a user and ends every session and token of the user. Callers cannot disable themselves or the last owner. Clients whose secret only this user knows are disabled until the user is enabled again, which needs every scope of these clients, or kept unchanged.",
  })
  @Auth({ scopes: ["user.invite"] })
  disableUser(
    @Arg("userId", () => ID) userId: string,
    @Arg("input", () => DisableUserInput, { nullable: true }) input: DisableUserInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<UserType> {
    return this.#lifecycle.disable(context, userId, input?.clients ?? ClientsOfDeletedUser.Disable);
  }

  @Mutation(() => UserType, {
    description:
      "Lets a disabled user sign in again, and enables the clients that were disabled with the user. Tokens from before stay invalid.",
  })
  @Auth({ scopes: ["user.invite"] })
  enableUser(@Arg("userId", () => ID) userId: string, @Ctx() context: RequestContext): Promise<UserType> {
    return this.#lifecycle.enable(context, userId);
  }

  @Mutation(() => DeletedUserType, {
    description:
      "Deletes a user and erases the address, the name and the password. This cannot be undone. Clients whose secret only this user knows are disabled, which needs every scope of these clients, or kept unchanged.",
  })
  @Auth({ scopes: ["user.invite"] })
  deleteUser(
    @Arg("userId", () => ID) userId: string,
    @Arg("clients", () => ClientsOfDeletedUser, { nullable: true, defaultValue: ClientsOfDeletedUser.Disable })
    clients: ClientsOfDeletedUser | null,
    @Ctx() context: RequestContext,
  ): Promise<DeletedUserType> {
    return this.#lifecycle.delete(context, userId, clients ?? ClientsOfDeletedUser.Disable);
  }
}
