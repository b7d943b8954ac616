import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import { versionOf } from "../../ground/revocations/subject-version.js";

/** The roles that a principal holds in a tenant, and all their scopes. */
export interface Access {
  /** Codes, sorted. */
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
}

interface HeldRole {
  readonly code: string;
  readonly scopes: readonly Scope[];
}

/** A principal's roles and scopes, and its rights' version. One statement reads both. */
export interface VersionedAccess extends Access {
  readonly version: number;
}

/** A row with the columns `accessColumns`. */
export interface AccessRow {
  readonly roles: readonly HeldRole[];
  readonly version: number;
}

/** Principal $2's roles that have not expired, and its rights' version, for a tenant statement. */
export const accessColumns = `(select coalesce(json_agg(json_build_object('code', code, 'scopes', scopes) order by code), '[]')
     from roles where tenant_id = scope.tenant and role_id in (
       select role_id from role_assignments
       where tenant_id = scope.tenant and principal_id = $2 and (expires_at is null or expires_at > now()))) as roles,
   ${versionOf("Principal", "scope.tenant", "$2")} as version`;

const heldRoles = tenantStatement("held_roles", `select ${accessColumns}`);

/** The current access for a user (`usr_…`) or client (`cli_…`); expired assignments do not count. */
export async function effectiveAccess(
  reader: TenantReader,
  tenant: Tenant,
  principalId: string,
): Promise<VersionedAccess> {
  const [row] = await reader.rows<AccessRow>(heldRoles, tenant, principalId);
  if (!row) throw new Error("PostgreSQL returned no row");
  return versionedAccess(row);
}

export const versionedAccess = ({ roles, version }: AccessRow): VersionedAccess => ({ ...accessOf(roles), version });

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

function accessOf(heldRoles: readonly HeldRole[]): Access {
  return { roles: heldRoles.map(({ code }) => code), scopes: new Set(heldRoles.flatMap(({ scopes }) => scopes)) };
}
