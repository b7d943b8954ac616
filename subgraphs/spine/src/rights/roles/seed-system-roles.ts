import { createHash } from "node:crypto";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProvisioningStep } from "../../tenants/tenants/provisioning-step.js";
import { Role } from "./role.entity.js";
import { recordRole } from "./role.events.js";
import { platformAdminRole, systemRoles } from "./system-roles.js";

/** Digest of the list of system roles. A release with another list finds by it the tenants whose roles it must update. */
export const systemRolesDigest = createHash("sha256")
  .update(JSON.stringify([systemRoles, platformAdminRole]))
  .digest("base64url");

/** The provisioning step that creates the system roles. */
export const seedSystemRoles: ProvisioningStep = { name: "seedSystemRoles", run: bringSystemRolesUpToDate };

/** Creates and updates the system roles of a tenant; a role that left the list becomes a role of the tenant. */
export async function bringSystemRolesUpToDate(
  transaction: Transaction,
  tenant: { readonly tenantId: string; systemRolesDigest: string | null },
): Promise<void> {
  const { em } = transaction;
  const { tenantId } = tenant;
  const wanted = tenantId === platformTenantId ? [platformAdminRole] : systemRoles;
  const present = await em.find(Role, { tenantId });
  const now = new Date();
  for (const role of present.filter(({ isSystem, code }) => isSystem && !wanted.some((one) => one.code === code))) {
    // principals may hold it, so it stays, as a role that the tenant can change
    Object.assign(role, { isSystem: false, updatedAt: now });
    recordRole(transaction, "RoleUpdated", role);
  }
  for (const { code, name, description, scopes } of wanted) {
    const facts = { code, name, description, scopes: [...scopes] };
    const found = present.find((role) => role.code.toLowerCase() === code.toLowerCase());
    if (found?.isSystem) {
      if (sameRole(found, facts)) continue;
      Object.assign(found, { ...facts, updatedAt: now });
      recordRole(transaction, "RoleUpdated", found);
      continue;
    }
    if (found) {
      // the tenant's own role with this code is renamed, so that its holders do not receive the scopes of the system role
      found.code = `${found.code.slice(0, 40)}_${found.roleId.slice(-12)}`;
      found.updatedAt = now;
      await em.flush();
      recordRole(transaction, "RoleUpdated", found);
    }
    const made = { tenantId, roleId: newId("rol"), ...facts, isSystem: true, createdAt: now, updatedAt: now };
    const role = em.create(Role, made);
    em.persist(role);
    recordRole(transaction, "RoleCreated", role);
  }
  tenant.systemRolesDigest = systemRolesDigest;
}

type Facts = Pick<Role, "code" | "name" | "description" | "scopes">;

function sameRole(one: Facts, other: Facts): boolean {
  const facts = ({ code, name, description, scopes }: Facts) => JSON.stringify([code, name, description, scopes]);
  return facts(one) === facts(other);
}
