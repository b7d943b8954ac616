import { createHash } from "node:crypto";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProvisioningStep } from "../../tenants/tenants/provisioning-step.js";
import { Role } from "./role.entity.js";
import { recordRole } from "./role.events.js";
import { platformAdminRole, systemRoles } from "./system-roles.js";

/** A digest of the system role list. A release with another list finds by it the tenants whose roles it must update. */
export const systemRolesDigest = createHash("sha256")
  .update(JSON.stringify([systemRoles, platformAdminRole]))
  .digest("base64url");

/** The provisioning step that creates the system roles. */
export const seedSystemRoles: ProvisioningStep = { name: "seedSystemRoles", run: bringSystemRolesUpToDate };

/** Creates and updates a tenant's system roles; a role that left the list becomes the tenant's own role. */
export async function bringSystemRolesUpToDate(
  transaction: Transaction,
  tenant: { readonly tenantId: string; systemRolesDigest: string | null },
): Promise<void> {
  const { em } = transaction;
  const { tenantId } = tenant;
  const wantedRoles = tenantId === platformTenantId ? [platformAdminRole] : systemRoles;
  const present = await em.find(Role, { tenantId });
  const now = new Date();
  for (const role of present.filter(
    ({ isSystem, code }) => isSystem && !wantedRoles.some((wantedRole) => wantedRole.code === code),
  )) {
    // principals may hold it, so it stays, as a role that the tenant can change
    Object.assign(role, { isSystem: false, updatedAt: now });
    recordRole(transaction, "RoleUpdated", role);
  }
  for (const { code, name, description, scopes } of wantedRoles) {
    const facts = { code, name, description, scopes: [...scopes] };
    const presentRole = present.find((role) => role.code.toLowerCase() === code.toLowerCase());
    if (presentRole?.isSystem) {
      if (sameRole(presentRole, facts)) continue;
      Object.assign(presentRole, { ...facts, updatedAt: now });
      recordRole(transaction, "RoleUpdated", presentRole);
      continue;
    }
    if (presentRole) {
      // the tenant's own role with this code is renamed, so that its holders do not receive the system role's scopes
      presentRole.code = `${presentRole.code.slice(0, 40)}_${presentRole.roleId.slice(-12)}`;
      presentRole.updatedAt = now;
      await em.flush();
      recordRole(transaction, "RoleUpdated", presentRole);
    }
    const values = { tenantId, roleId: newId("rol"), ...facts, isSystem: true, createdAt: now, updatedAt: now };
    const role = em.create(Role, values);
    em.persist(role);
    recordRole(transaction, "RoleCreated", role);
  }
  tenant.systemRolesDigest = systemRolesDigest;
}

type Facts = Pick<Role, "code" | "name" | "description" | "scopes">;

function sameRole(first: Facts, other: Facts): boolean {
  const facts = ({ code, name, description, scopes }: Facts) => JSON.stringify([code, name, description, scopes]);
  return facts(first) === facts(other);
}
