import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";

export const UserStatus = { Active: "Active", Disabled: "Disabled", Deleted: "Deleted" } as const;
registerEnumType(UserStatus, { name: "UserStatus" });

@ObjectType("User", { simpleResolvers: true })
@Directive('@key(fields: "userId")')
export class UserType {
  @Field(() => ID)
  userId: string;

  @Field(() => ID)
  tenantId: string;

  @Field({ description: "Of a deleted user an address that nobody has." })
  email: string;

  @Field(() => String, { nullable: true })
  displayName: string | null;

  @Field(() => UserStatus)
  status: keyof typeof UserStatus;

  @Field(() => [String], { description: "Of the roles that have not expired, in their order." })
  roleCodes: string[];

  @Field(() => DateTime, { nullable: true })
  lastLoginAt: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;
}

export const ClientsOfDeletedUser = { Disable: "Disable", Keep: "Keep" } as const;
export type ClientsOfDeletedUser = keyof typeof ClientsOfDeletedUser;
registerEnumType(ClientsOfDeletedUser, {
  name: "ClientsOfDeletedUser",
  description: "What becomes of the clients whose secret only the user was told.",
});

@ObjectType("OrphanedClient", {
  simpleResolvers: true,
  description: "Its secret, or its key, only a deleted user knows.",
})
export class OrphanedClientType {
  @Field(() => ID)
  clientId: string;

  @Field()
  name: string;

  @Field({ description: "Active or Disabled." })
  status: string;
}

@ObjectType("DeletedUser", { simpleResolvers: true })
export class DeletedUserType extends UserType {
  @Field(() => [OrphanedClientType], {
    description: "Every client whose secret only this user was told, or only clients of which that is true.",
  })
  clients: OrphanedClientType[];
}

export const UserConnection = connectionType("User", () => UserType, "In the order of registration.");
export type UserConnection = Connection<UserType>;
