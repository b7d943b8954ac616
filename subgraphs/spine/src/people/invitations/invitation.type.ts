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

  @Field(() => String, {
    nullable: true,
    description:
      "The name that the person gets with the acceptance, unless the person enters another one. Null if none was given, or if the user that accepted was deleted.",
  })
  displayName: string | null;

  @Field(() => InvitationStatus)
  status: keyof typeof InvitationStatus;

  @Field(() => [String], {
    description:
      "The codes of the roles that the person gets with the acceptance, 1 to 20. A role that was deleted since, or created anew, is left out then.",
  })
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
