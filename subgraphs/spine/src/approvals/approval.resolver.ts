import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
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
    description: "Requests for publishing scopes and for weaker values of protected settings, with their decisions.",
  })
  @Auth({ scopes: ["governance.read"] })
  approvals(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedApprovals) sort: string | null | undefined,
    @Arg("filter", () => ApprovalFilterInput, { nullable: true }) filter: ApprovalFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalConnection> {
    return this.#approvals.list(context, { ...page, sort, filter });
  }

  @Query(() => ApprovalType, { description: "One request, with its decision." })
  @Auth({ scopes: ["governance.read"] })
  approval(@Arg("approvalId", () => ID) approvalId: string, @Ctx() context: RequestContext): Promise<ApprovalType> {
    return this.#approvals.get(context, approvalId);
  }

  @Mutation(() => ApprovalType, {
    description:
      "Approves the request: the agent may use the scopes for one hour, or the setting has its new value. The caller must hold the scopes, must not be the subject, and must not have invited it or been invited by it in the last 30 days. A user decides with a token of a first-party client, at most 15 minutes after signing in in a browser, and with the level of sign-in that the setting governance.approve.acr asks for.",
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
      "Rejects the request; an agent may repeat it after one hour, a person at once. The caller must not be the subject. A user decides with a token of a first-party client, at most 15 minutes after signing in in a browser, and with the level of sign-in that the setting governance.approve.acr asks for.",
  })
  @Auth({ scopes: ["governance.approve"] })
  rejectScopes(
    @Arg("approvalId", () => ID) approvalId: string,
    @Arg("input", () => ApprovalDecisionInput, { nullable: true }) input: ApprovalDecisionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.decide(context, "rejectScopes", { approvalId, input });
  }

  @Mutation(() => ApprovalType, {
    description: "Ends a change of a setting that the caller has asked for and nobody has decided yet.",
  })
  @Auth({ scopes: ["config.manage"] })
  withdrawSettingChange(
    @Arg("approvalId", () => ID) approvalId: string,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.withdraw(context, approvalId);
  }

  @Query(() => ApprovalType, {
    description:
      "A change of a protected setting that a platform administrator decides, because the tenant has no second person.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  tenantSettingChange(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("approvalId", () => ID) approvalId: string,
  ): Promise<ApprovalType> {
    return this.#approvals.getForTenant(tenantId, approvalId);
  }

  @Mutation(() => ApprovalType, {
    description: "Approves a change of a protected setting, if the tenant has no second person who can.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  approveTenantSetting(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("approvalId", () => ID) approvalId: string,
    @Arg("input", () => ApprovalDecisionInput, { nullable: true }) input: ApprovalDecisionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.decideForTenant(context, "approveTenantSetting", { tenantId, approvalId, input });
  }

  @Mutation(() => ApprovalType, {
    description: "Rejects a change of a protected setting.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  rejectTenantSetting(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("approvalId", () => ID) approvalId: string,
    @Arg("input", () => ApprovalDecisionInput, { nullable: true }) input: ApprovalDecisionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ApprovalType> {
    return this.#approvals.decideForTenant(context, "rejectTenantSetting", { tenantId, approvalId, input });
  }
}
