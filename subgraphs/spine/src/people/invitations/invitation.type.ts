import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { invitationStatuses } from "@factory/schema/vocabularies/people";
import { Field, ID, ObjectType } from "type-graphql";

const InvitationStatus = enumType(invitationStatuses);

@ObjectType("Invitation", { implements: NodeType, simpleResolvers: true })
@NodeKey("invitationId")
export class InvitationType {
  @Field(() => ID)
  invitationId: string;

  @Field()
  email: string;

  @Field(() => String, { nullable: true })
  displayName: string | null;

  @Field(() => InvitationStatus)
  status: keyof typeof InvitationStatus;

  @Field(() => [String])
  roleCodes: string[];

  @Field(() => ID, { nullable: true, description: "The user that accepted the invitation. Null before." })
  userId: string | null;

  @Field(() => DateTime, { description: "The time at which the link stops working." })
  expiresAt: string;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;
}

export const InvitationConnection = connectionType("Invitation", () => InvitationType, "In the order of creation.");
export type InvitationConnection = Connection<InvitationType>;
