import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Scope } from "@factory/schema/scopes";
import { type RunningSpine, until } from "../../running-spine.fixture.js";
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
    [decodeId("ten", tenantId), decodeId("usr", userId), email, mailAddressKey(email), await hashPassword(password)],
  );
  if (scopes.length > 0) await aRoleOf({ admin }, tenantId, userId, scopes);
  return { userId, email, password };
}

/** Begins `work`, and replaces the user's password while that waits for the user's row. */
export async function whilePasswordChanges<T>(
  { admin }: Pick<RunningSpine, "admin">,
  { userId }: TestUser,
  work: () => Promise<T>,
): Promise<T> {
  const changer = await admin.connect();
  try {
    const id = decodeId("usr", userId);
    await changer.query("begin");
    await changer.query("select from users where user_id = $1 for update", [id]);
    const waiting = work();
    await waitsFor({ admin }, "%update users%");
    await changer.query(
      "update users set password_hash = $2, sign_in_version = sign_in_version + 1 where user_id = $1",
      [id, await hashPassword(`another ${password}`)],
    );
    await changer.query("commit");
    return await waiting;
  } finally {
    changer.release();
  }
}

/** Resolves when a statement that is like the pattern waits for a lock. */
export function waitsFor({ admin }: Pick<RunningSpine, "admin">, pattern: string): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1";
  return until(async () => (await admin.query(waiting, [pattern])).rows.length > 0);
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
