import { Auth } from "@factory/runtime/graphql/auth";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { ApprovalDecisionInput, ApprovalFilterInput } from "./approval.input.js";
import { type ApprovalService, sortedApprovals } from "./approval.service.js";
import { ApprovalConnection, ApprovalType } from "./approval.type.js";

@Resolver(() => ApprovalType)
export class ApprovalResolver {
  readonly #approvals: ApprovalService;

  constructor(approvals: ApprovalService) {
    this.#approvals = approvals;
  }

  @Query(() => ApprovalConnection, {
    description: "Requests of the tenant's agents for publishing scopes, with their decisions.",
  })
  @Auth({ scopes: ["governance.read"] })
  approvals(
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @SortArg(sortedApprovals) sort: string | null | undefined,
    @Arg("filter", () => ApprovalFilterInput, { nullable: true }) filter: ApprovalFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalConnection> {
    return this.#approvals.list(context, { first, after, sort, filter });
  }

  @Query(() => ApprovalType, { description: "One request of an agent, with its decision." })
  @Auth({ scopes: ["governance.read"] })
  approval(@Arg("approvalId", () => ID) approvalId: string, @Ctx() context: RequestContext): Promise<ApprovalType> {
    return this.#approvals.get(context, approvalId);
  }

  @Mutation(() => ApprovalType, {
    description:
      "Approves the request; the agent may use the scopes for one hour. The caller must hold the scopes and must not be the subject. A user decides with a token of a first-party client, at most 15 minutes after signing in, and with the level of sign-in that the setting governance.approve.acr asks for.",
  })
  @Auth({ scopes: ["governance.approve"] })
  approveScopes(
    @Arg("approvalId", () => ID) approvalId: string,
    @Arg("input", () => ApprovalDecisionInput, { nullable: true }) input: ApprovalDecisionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.decide(context, "approveScopes", { approvalId, input });
  }

  @Mutation(() => ApprovalType, {
    description:
      "Rejects the request; the agent may repeat it after one hour. The caller must not be the subject. A user decides with a token of a first-party client, at most 15 minutes after signing in, and with the level of sign-in that the setting governance.approve.acr asks for.",
  })
  @Auth({ scopes: ["governance.approve"] })
  rejectScopes(
    @Arg("approvalId", () => ID) approvalId: string,
    @Arg("input", () => ApprovalDecisionInput, { nullable: true }) input: ApprovalDecisionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.decide(context, "rejectScopes", { approvalId, input });
  }
}
