import { randomUUID } from "node:crypto";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "./database.js";

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const password = "correct horse battery staple";
/** argon2id of the password. */
const passwordHash =
  "$argon2id$v=19$m=19456,t=2,p=1$jv+58TjkHjKGnlB0ni0bHw$DksbDgP00DMI3j03rj2UaIplA5FybX07atrsHL7exBA";

/** A user of a tenant who holds one of its system roles, put there without an invitation. */
export async function aPerson(tenantId: string, roleCode = "Developer", email?: string): Promise<Person> {
  const userId = newId("usr");
  const address = email ?? `${randomUUID()}@example.com`;
  const tenant = decodeId("ten", tenantId);
  await rows(
    `insert into spine.users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $3, 'Active', $4, now(), now())`,
    [tenant, decodeId("usr", userId), address, passwordHash],
  );
  await rows(
    `insert into spine.role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
     select tenant_id, $2, role_id, $3, 'test', now() from spine.roles where tenant_id = $1 and code = $4`,
    [tenant, randomUUID(), userId, roleCode],
  );
  return { userId, email: address, password };
}
