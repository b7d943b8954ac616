import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Role } from "./role.entity.js";
import { roleView } from "./role.view.js";

/** Records the event about a changed role, for changes by callers, by provisioning and by a new release. */
export function recordRole(
  { record }: Pick<Transaction, "record">,
  type: "RoleCreated" | "RoleUpdated" | "RoleDeleted",
  role: Role,
): void {
  const { createdAt: _, ...facts } = roleView(role);
  record({ type, subject: `roles/${role.roleId}`, data: { tenantId: role.tenantId, ...facts } });
}
