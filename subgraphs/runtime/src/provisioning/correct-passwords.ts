import { Client, type ClientBase } from "pg";
import { identifier, literal } from "../connections/database-roles.js";
import { type DatabaseAccess, rolePassword, roleUrl } from "../connections/schema-connections.js";
import { systemErrorCode } from "../errors/system-error.js";
import { isVerifierOf, scramVerifier } from "./scram-verifier.js";

const loginTimeoutMs = 30_000;
/** SQLSTATE of a wrong password. It is also that of a missing password and of one that has expired. */
const wrongPassword = "28P01";
/** So many at once: the server has few connections left beside those of other processes. */
const loginsAtOnce = 3;

/**
 * Gives the roles whose password is not the derived one this password again. A right password is not written: that would
 * be a write to the catalog of the whole server.
 */
export async function correctPasswords(
  client: ClientBase,
  access: DatabaseAccess,
  roles: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ readable: boolean }>(
    "select has_column_privilege('pg_authid', 'rolpassword', 'select') as readable",
  );
  const isRight = rows[0]?.readable ? await storedPasswords(client, access, roles) : await logins(access, roles);
  for (const role of roles) if (!isRight.has(role)) await setPassword(client, access, role);
}

/** The roles whose stored password is right. Only superusers can read it, and it takes no connection. */
async function storedPasswords(
  client: ClientBase,
  access: DatabaseAccess,
  roles: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ role: string; verifier: string }>(
    `select rolname as role, rolpassword as verifier from pg_authid
     where rolname = any($1::text[]) and rolpassword is not null and coalesce(rolvaliduntil, 'infinity') > now()`,
    [roles],
  );
  const checks = rows.map(async ({ role, verifier }) => {
    const isRight = await isVerifierOf(rolePassword(access, role), verifier);
    return isRight ? [role] : [];
  });
  return new Set((await Promise.all(checks)).flat());
}

/** The roles that can log in. */
async function logins(access: DatabaseAccess, roles: readonly string[]): Promise<ReadonlySet<string>> {
  const left = [...roles];
  const right = new Set<string>();
  const tryNext = async (): Promise<void> => {
    for (let role = left.shift(); role !== undefined; role = left.shift())
      if (await canLogIn(access, role)) right.add(role);
  };
  await Promise.all(Array.from({ length: loginsAtOnce }, tryNext));
  return right;
}

async function canLogIn(access: DatabaseAccess, role: string): Promise<boolean> {
  const login = new Client({
    connectionString: roleUrl(access, role),
    connectionTimeoutMillis: loginTimeoutMs,
  });
  login.on("error", () => undefined);
  try {
    await login.connect();
    return true;
  } catch (error) {
    if (systemErrorCode(error) === wrongPassword) return false;
    throw error;
  } finally {
    await login.end().catch(() => undefined);
  }
}

async function setPassword(client: ClientBase, access: DatabaseAccess, role: string): Promise<void> {
  const verifier = literal(await scramVerifier(rolePassword(access, role)));
  await client.query(`alter role ${identifier(role)} password ${verifier} valid until 'infinity'`);
}
