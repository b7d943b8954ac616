import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";

/** The roles that a principal holds in a tenant, and the union of their scopes. */
export interface Access {
  /** Codes, sorted. */
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
}

interface HeldRole {
  readonly code: string;
  readonly scopes: readonly Scope[];
}

const heldRoles = tenantStatement(
  "held_roles",
  `select code, scopes from roles
   where tenant_id = scope.tenant and role_id in (
     select role_id from role_assignments
     where tenant_id = scope.tenant and principal_id = $2 and (expires_at is null or expires_at > now()))
   order by code`,
);

/** The access of a user (`usr_…`) or client (`cli_…`) now; expired assignments do not count. */
export async function effectiveAccess(reader: TenantReader, tenant: Tenant, principalId: string): Promise<Access> {
  return accessOf(await reader.rows<HeldRole>(heldRoles, tenant, principalId));
}

/** As `effectiveAccess`, read in the transaction. */
export async function effectiveAccessIn({ execute, tenant }: Transaction, principalId: string): Promise<Access> {
  return accessOf(
    await execute<HeldRole>(
      `select code, scopes from role_assignments join roles using (tenant_id, role_id)
       where tenant_id = $1 and principal_id = $2 and (expires_at is null or expires_at > now()) order by code`,
      [tenant.uuid, principalId],
    ),
  );
}

function accessOf(held: readonly HeldRole[]): Access {
  return { roles: held.map(({ code }) => code), scopes: new Set(held.flatMap(({ scopes }) => scopes)) };
}
