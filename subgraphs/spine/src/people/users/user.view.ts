import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { HeldClient } from "../../oauth-clients/secret-holders.js";
import { User } from "./user.entity.js";
import type { ClientsOfDeletedUser, OrphanedClientType, UserType } from "./user.type.js";

const shownMembers = [
  "tenantId",
  "userId",
  "email",
  "displayName",
  "status",
  "lastLoginAt",
  "createdAt",
  "updatedAt",
] as const;

type ShownUser = RecordOf<User, (typeof shownMembers)[number]>;

/** A row with the codes of the user's roles. */
export type UserRow = RowOf<User, (typeof shownMembers)[number]> & { role_codes: string[] };

export const userColumns = columnsOf(User, shownMembers, "users");
export const readUser = rowReader(User);

const accountMembers = [
  "tenantId",
  "userId",
  "email",
  "displayName",
  "status",
  "passwordHash",
  "signInVersion",
] as const;

/** The members by which a sign-in knows a user. */
export type AccountFacts = RecordOf<User, (typeof accountMembers)[number]>;
export type AccountFactsRow = RowOf<User, (typeof accountMembers)[number]>;

/** The columns for `AccountFactsRow`, in a table named `account`. */
export const accountColumns = columnsOf(User, accountMembers, "account");

/** The user as GraphQL shows it. */
export function userView(user: ShownUser, roleCodes: readonly string[]): UserType {
  const { userId, tenantId, email, displayName, status } = user;
  return {
    userId,
    tenantId,
    email,
    displayName,
    status,
    roleCodes: [...roleCodes],
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

/** A client whose secret only the deleted user knows, as it is after the deletion. */
export function deletedUserClientView(client: HeldClient, clients: ClientsOfDeletedUser): OrphanedClientType {
  return clients === "Disable" ? { ...client, status: "Disabled" } : { ...client };
}

/** The data in events about a user. It leaves out the name and the address, because they are personal data. */
export function userFacts({ tenantId, userId, status }: User): Record<string, unknown> {
  return { tenantId, userId, status };
}
