import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { HeldClient } from "../../oauth-clients/secret-holders.js";
import type { User } from "./user.entity.js";
import type { UserState } from "./user.states.js";
import type { ClientsOfDeletedUser, OrphanedClientType, UserType } from "./user.type.js";

/** A row of `users` as PostgreSQL returns it, with the codes of the user's roles. */
export interface UserRow {
  tenant_id: string;
  user_id: string;
  email: string;
  display_name: string | null;
  status: UserState;
  last_login_at: Date | null;
  created_at: Date;
  updated_at: Date;
  role_codes: string[];
}

export const userColumns =
  "users.tenant_id, users.user_id, email, display_name, status, last_login_at, created_at, updated_at";

export function userRowView(row: UserRow): UserType {
  return {
    userId: encodeId("usr", row.user_id),
    tenantId: encodeId("ten", row.tenant_id),
    email: row.email,
    displayName: row.display_name,
    status: row.status,
    roleCodes: row.role_codes,
    lastLoginAt: row.last_login_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The user as GraphQL shows it, from the entity. */
export function userView(user: User, roleCodes: readonly string[]): UserType {
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

/** The data of events about a user. It leaves out the name and the address, because they are personal data. */
export function userFacts({ tenantId, userId, status }: User): Record<string, unknown> {
  return { tenantId, userId, status };
}
