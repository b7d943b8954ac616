import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import type { RunningSpine } from "../running-spine.fixture.js";
import { emailKey } from "./email-key.js";
import { hashPassword } from "./password-hash.js";

export interface TestUser {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const password = "correct horse battery";

/** Inserts a user with these scopes, without an invitation. */
export async function aUser(
  { admin }: Pick<RunningSpine, "admin">,
  tenantId: string,
  scopes: readonly Scope[],
  email = `${newId("usr")}@example.com`,
): Promise<TestUser> {
  const userId = newId("usr");
  await admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, 'Active', $5, now(), now())`,
    [decodeId("ten", tenantId), decodeId("usr", userId), email, emailKey(email), await hashPassword(password)],
  );
  if (scopes.length > 0) await aRoleOf({ admin }, tenantId, userId, scopes);
  return { userId, email, password };
}

/** Assigns a new role with these scopes, or the existing role with the id `existing` (UUID). */
export async function aRoleOf(
  { admin }: Pick<RunningSpine, "admin">,
  tenantId: string,
  principalId: string,
  scopes: readonly Scope[],
  existing?: string,
): Promise<void> {
  const code = newId("rol").replace("_", "");
  const roleId = existing ?? decodeId("rol", newId("rol"));
  if (existing === undefined)
    await admin.query(
      `insert into roles (tenant_id, role_id, code, name, scopes, is_system, created_at, updated_at)
       values ($1, $2, $3, 'Test', $4, false, now(), now())`,
      [decodeId("ten", tenantId), roleId, code, scopes],
    );
  await admin.query(
    `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
     values ($1, $2, $3, $4, 'test', now())`,
    [decodeId("ten", tenantId), decodeId("asg", newId("asg")), roleId, principalId],
  );
}
