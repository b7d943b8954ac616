import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { UserRow } from "../../users/user.view.js";

// tables: users, tenants

export type ActivePersonRow = Pick<UserRow, "email"> & { organization: string };

/** The active user `$2` by address, and the tenant's name. */
export const activePerson = tenantStatement(
  "active_person",
  `select email, name as organization from users join tenants using (tenant_id)
   where users.tenant_id = scope.tenant and user_id = $2 and users.status = 'Active' limit 1`,
);
