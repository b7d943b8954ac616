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
  description: "Of publishing scopes that an agent wants for one task.",
})
@Directive('@key(fields: "approvalId")')
export class ApprovalType {
  @Field(() => ID)
  approvalId: string;

  @Field({ description: "The agent that asks, as a client." })
  agentClientId: string;

  @Field()
  agentTaskId: string;

  @Field({ description: "For whom the agent acts; somebody else decides." })
  subject: string;

  @Field(() => [String])
  scopes: string[];

  @Field(() => ApprovalStatus)
  status: ApprovalState;

  @Field(() => DateTime)
  requestedAt: string;

  @Field(() => DateTime, { description: "Until when it can be decided, then until when the decision holds." })
  validUntil: string;

  @Field(() => String, { nullable: true })
  decidedBy: string | null;

  @Field(() => DateTime, { nullable: true })
  decidedAt: string | null;

  @Field(() => String, { nullable: true })
  comment: string | null;
}

export const ApprovalConnection = connectionType("Approval", () => ApprovalType, "The newest first.");
export type ApprovalConnection = Connection<ApprovalType>;
