// tables: users
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { UserState } from "../../../people/users/user.states.js";
import { type AccessRow, accessColumns } from "../../../rights/roles/effective-access.js";

/** The access of a user, as PostgreSQL gives it, with the state of the user in the same snapshot. */
export interface UserAccessRow extends AccessRow {
  readonly status: UserState;
  readonly sign_in_version: number;
}

/** One row for a user of the tenant ($2: `usr_…`, $3: the same as UUID). */
export const userAccess = tenantStatement(
  "access_of_user",
  `select status, sign_in_version, ${accessColumns} from users where tenant_id = scope.tenant and user_id = $3`,
);
