import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import type { ApprovalState } from "./approval.states.js";

export const ApprovalStatus = {
  Pending: "Pending",
  Approved: "Approved",
  Rejected: "Rejected",
  Expired: "Expired",
} as const satisfies Record<ApprovalState, ApprovalState>;
registerEnumType(ApprovalStatus, { name: "ApprovalStatus" });

@ObjectType("Approval", {
  simpleResolvers: true,
  description: "A request of an agent for publishing scopes in one task, and the decision on it.",
})
@Directive('@key(fields: "approvalId")')
export class ApprovalType {
  @Field(() => ID)
  approvalId: string;

  @Field({ description: "The client id of the agent that asks." })
  agentClientId: string;

  @Field()
  agentTaskId: string;

  @Field({ description: "The principal for whom the agent acts. Another principal decides." })
  subject: string;

  @Field(() => [String])
  scopes: string[];

  @Field(() => ApprovalStatus)
  status: ApprovalState;

  @Field(() => String, {
    nullable: true,
    description:
      "A person decides with a sign-in of this level (acr) or a higher one. It is that of the setting governance.approve.acr when the request came; a later, higher one counts too.",
  })
  requiredAcr: string | null;

  @Field(() => DateTime)
  requestedAt: string;

  @Field(() => DateTime, {
    description:
      "For a Pending approval, the time until which it can be decided. Afterwards, the time until which the decision is valid.",
  })
  validUntil: string;

  @Field(() => String, { nullable: true })
  decidedBy: string | null;

  @Field(() => DateTime, { nullable: true })
  decidedAt: string | null;

  @Field(() => String, { nullable: true })
  comment: string | null;
}

export const ApprovalConnection = connectionType("Approval", () => ApprovalType, "The newest approval comes first.");
export type ApprovalConnection = Connection<ApprovalType>;
