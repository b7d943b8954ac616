import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { UserType } from "../users/user.type.js";
import { AcceptInvitationInput, InvitationFilterInput, InviteUserInput } from "./invitation.input.js";
import { type InvitationService, sortedInvitations } from "./invitation.service.js";
import { InvitationConnection, InvitationType } from "./invitation.type.js";
import type { InvitationAcceptance } from "./invitation-acceptance.service.js";

@Resolver(() => InvitationType)
export class InvitationResolver {
  readonly #invitations: InvitationService;
  readonly #acceptance: InvitationAcceptance;

  constructor(invitations: InvitationService, acceptance: InvitationAcceptance) {
    this.#invitations = invitations;
    this.#acceptance = acceptance;
  }

  @Query(() => InvitationConnection, { description: "The invitations of the tenant." })
  @Auth({ scopes: ["user.read", "user.invite"] })
  invitations(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedInvitations) sort: string | null | undefined,
    @Arg("filter", () => InvitationFilterInput, { nullable: true }) filter: InvitationFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<InvitationConnection> {
    return this.#invitations.list(context, { ...page, sort, filter });
  }

  @Mutation(() => InvitationType, {
    description: "Invites a person by e-mail, with a link that works once within seven days.",
  })
  @Auth({ scopes: ["user.invite"] })
  inviteUser(@Arg("input") input: InviteUserInput, @Ctx() context: RequestContext): Promise<InvitationType> {
    return this.#invitations.invite(context, input);
  }

  @Mutation(() => InvitationType, {
    description: "Sends the invitation again with a new link. The former link stops working.",
  })
  @Auth({ scopes: ["user.invite"] })
  resendInvitation(
    @Arg("invitationId", () => ID) invitationId: string,
    @Ctx() context: RequestContext,
  ): Promise<InvitationType> {
    return this.#invitations.resend(context, invitationId);
  }

  @Mutation(() => InvitationType, { description: "Revokes a Pending invitation. Its link stops working." })
  @Auth({ scopes: ["user.invite"] })
  revokeInvitation(
    @Arg("invitationId", () => ID) invitationId: string,
    @Ctx() context: RequestContext,
  ): Promise<InvitationType> {
    return this.#invitations.revoke(context, invitationId);
  }

  @Mutation(() => UserType, {
    description: "Accepts an invitation with the token of its link, and creates the user. No access token is needed.",
  })
  @Auth({ anonymous: true })
  acceptInvitation(@Arg("input") input: AcceptInvitationInput, @Ctx() context: RequestContext): Promise<UserType> {
    return this.#acceptance.accept({ trace: context.trace, origin: originOf(context) }, input);
  }
}
