import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import {
  type ApiClientStatus,
  clientStatuses,
  clientsOfDeletedUser,
  userStatuses,
} from "@factory/schema/vocabularies/people";
import { Field, ID, ObjectType } from "type-graphql";

const UserStatus = enumType(userStatuses);

/** The members that a user and a deleted user have. */
@ObjectType("UserMembers", { simpleResolvers: true })
class UserMembers {
  @Field(() => ID)
  userId: string;

  @Field(() => ID)
  tenantId: string;

  @Field({ description: "The address. For a deleted user, a placeholder address that does not exist." })
  email: string;

  @Field(() => String, {
    nullable: true,
    description: "The name under which people see the user. Null if none was given, and for a deleted user.",
  })
  displayName: string | null;

  @Field(() => UserStatus)
  status: keyof typeof UserStatus;

  @Field(() => [String], {
    description: "The codes of the roles whose assignment has not expired, in alphabetical order.",
  })
  roleCodes: string[];

  @Field(() => DateTime, {
    nullable: true,
    description:
      "The time of the latest sign-in; renewed tokens do not count. Null before the first one, and for a deleted user.",
  })
  lastLoginAt: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;
}

/** `User` in GraphQL, keyed by userId. */
@ObjectType("User", { implements: NodeType, simpleResolvers: true })
@NodeKey("userId")
export class UserType extends UserMembers {}

export const ClientsOfDeletedUser = enumType(clientsOfDeletedUser);
export type ClientsOfDeletedUser = keyof typeof ClientsOfDeletedUser;

@ObjectType("OrphanedClient", {
  simpleResolvers: true,
  description: "A client whose secret or key only a deleted user knows.",
})
export class OrphanedClientType {
  @Field(() => ID)
  clientId: string;

  @Field()
  name: string;

  @Field(() => enumType(clientStatuses), { description: "The state after the deletion." })
  status: ApiClientStatus;
}

@ObjectType("DeletedUser", { simpleResolvers: true })
export class DeletedUserType extends UserMembers {
  @Field(() => [OrphanedClientType], {
    description: "Every client whose secret is known only to this user, or only to other clients in this list.",
  })
  clients: OrphanedClientType[];
}

export const UserConnection = connectionType("User", () => UserType, "In the order of registration.");
export type UserConnection = Connection<UserType>;
