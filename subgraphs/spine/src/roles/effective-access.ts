import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";

/** What a principal's roles in a tenant come to. */
export interface Access {
  /** Codes, sorted. */
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
}

const heldRoles = tenantStatement(
  "held_roles",
  `select code, scopes from roles
   where tenant_id = scope.tenant and role_id in (
     select role_id from role_assignments
     where tenant_id = scope.tenant and principal_id = $2 and (expires_at is null or expires_at > now()))
   order by code`,
);

export async function effectiveAccess(reader: TenantReader, tenant: Tenant, principalId: string): Promise<Access> {
  const held = await reader.rows<{ code: string; scopes: Scope[] }>(heldRoles, tenant, principalId);
  return { roles: held.map(({ code }) => code), scopes: new Set(held.flatMap(({ scopes }) => scopes)) };
}
