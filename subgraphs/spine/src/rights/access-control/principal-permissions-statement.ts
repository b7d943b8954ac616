import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";

// tables: users, roles, role_assignments, api_clients

/** A principal's current permissions. A user's scopes come from roles; a client has its own scopes. */
export interface PrincipalPermissions {
  readonly status: "Active" | "Disabled" | "Deleted";
  readonly scopes: ReadonlySet<string>;
}

interface PermissionsRow {
  principal: string;
  status: PrincipalPermissions["status"];
  scopes: Scope[];
}

const permissionsOfPrincipals = `select asked.principal, users.status, array(
    select distinct scope from role_assignments held join roles role using (tenant_id, role_id), unnest(role.scopes) scope
    where held.tenant_id = $1 and held.principal_id = asked.principal
      and (held.expires_at is null or held.expires_at > now())) as scopes
  from unnest($2::text[], $3::uuid[]) as asked (principal, user_id)
    join users on users.tenant_id = $1 and users.user_id = asked.user_id
  union all
  select client_id, status, scopes from api_clients where tenant_id = $1 and client_id = any($2)`;

/** By principal (`usr_…`, `cli_…`). The platform itself and principals from other tenants are absent. */
export async function principalPermissions(
  { execute, tenant }: Transaction,
  principals: readonly string[],
): Promise<Map<string, PrincipalPermissions>> {
  const userIds = principals.map((principal) => decodeId("usr", principal) ?? null);
  const rows = await execute<PermissionsRow>(permissionsOfPrincipals, [tenant.uuid, principals, userIds]);
  return new Map(rows.map(({ principal, status, scopes }) => [principal, { status, scopes: new Set(scopes) }]));
}
