import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, Json } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { authenticationLevels } from "@factory/schema/authentication-levels";
import { scopes } from "@factory/schema/scopes";
import { approvalStatuses } from "@factory/schema/vocabularies/governance";
import { Field, ID, ObjectType } from "type-graphql";
import { ConfigurationChange } from "../settings/configuration/configuration.type.js";
import type { ApprovalState } from "./approval.states.js";

const ApprovalStatus = enumType(approvalStatuses);

@ObjectType("SettingProposal", {
  simpleResolvers: true,
  description: "A value of a protected setting that is weaker than the one in force, so that another person decides.",
})
export class SettingProposalType {
  @Field()
  key: string;

  @Field(() => ConfigurationChange, { description: "Deleted: the default of the setting holds again." })
  change: ConfigurationChange;

  @Field(() => Json, { nullable: true, description: "The value that was in force when the change was asked for." })
  oldValue: unknown;

  @Field(() => Json, { nullable: true, description: "The value that is in force after the approval." })
  newValue: unknown;

  @Field(() => String, {
    nullable: true,
    description: "The note for people that the entry gets with the new value. Null if it gets none.",
  })
  description: string | null;
}

@ObjectType("Approval", {
  implements: NodeType,
  simpleResolvers: true,
  description:
    "A request for publishing scopes in one task of an agent, or for a weaker value of a protected setting, and the decision on it.",
})
@NodeKey("approvalId")
export class ApprovalType {
  @Field(() => ID)
  approvalId: string;

  @Field({ description: "The client id of the agent that asks. For a setting, the client that the person used." })
  agentClientId: string;

  @Field()
  agentTaskId: string;

  @Field({
    description: "The principal for whom the agent acts, or who asked for the setting. Another principal decides.",
  })
  subject: string;

  @Field(() => [String], { description: "Empty for a setting. Texts, since names with dots are not GraphQL names." })
  @Constraint({ values: scopes })
  scopes: string[];

  @Field(() => SettingProposalType, { nullable: true, description: "Null for scopes." })
  setting: SettingProposalType | null;

  @Field(() => ApprovalStatus)
  status: ApprovalState;

  @Field(() => String, {
    nullable: true,
    description:
      "A person decides with a sign-in of this level (acr) or a higher one. It is that of the setting governance.approve.acr when the request came; a later, higher one counts too. A text, since the levels are URNs.",
  })
  @Constraint({ values: authenticationLevels })
  requiredAcr: string | null;

  @Field(() => DateTime)
  requestedAt: string;

  @Field(() => DateTime, {
    description:
      "For a Pending approval, the time until which it can be decided. Afterwards, the time until which the decision is valid.",
  })
  validUntil: string;

  @Field(() => String, {
    nullable: true,
    description: "The user or client that approved or rejected. Null without a decision.",
  })
  decidedBy: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time of the approval or rejection. Null without a decision.",
  })
  decidedAt: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The text that was given with the decision. Null if none was given.",
  })
  comment: string | null;
}

export const ApprovalConnection = connectionType("Approval", () => ApprovalType, "The newest approval comes first.");
export type ApprovalConnection = Connection<ApprovalType>;
