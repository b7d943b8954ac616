import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";

/** What an inviter may do now. The rights of a user come from roles, those of a client are its own scopes. */
export interface Standing {
  readonly status: "Active" | "Disabled" | "Deleted";
  readonly scopes: ReadonlySet<string>;
}

interface StandingRow {
  principal: string;
  status: Standing["status"];
  scopes: Scope[];
}

const standings = `select asked.principal, users.status, array(
    select distinct scope from role_assignments held join roles role using (tenant_id, role_id), unnest(role.scopes) scope
    where held.tenant_id = $1 and held.principal_id = asked.principal
      and (held.expires_at is null or held.expires_at > now())) as scopes
  from unnest($2::text[], $3::uuid[]) as asked (principal, user_id)
    join users on users.tenant_id = $1 and users.user_id = asked.user_id
  union all
  select client_id, status, scopes from api_clients where tenant_id = $1 and client_id = any($2)`;

/** By principal; the platform itself, and principals of other tenants, have none. */
export async function standingsOf(
  { execute, tenant }: Transaction,
  principals: readonly string[],
): Promise<Map<string, Standing>> {
  const userIds = principals.map((principal) => decodeId("usr", principal) ?? null);
  const rows = await execute<StandingRow>(standings, [tenant.uuid, principals, userIds]);
  return new Map(rows.map(({ principal, status, scopes }) => [principal, { status, scopes: new Set(scopes) }]));
}

/** Whether the inviter may send an invitation to these roles. */
export function mayInvite(standing: Standing | undefined, roles: readonly { readonly scopes: readonly string[] }[]) {
  if (!standing) return true;
  const needed = ["user.invite", ...roles.flatMap(({ scopes }) => scopes)];
  return standing.status === "Active" && needed.every((scope) => standing.scopes.has(scope));
}
