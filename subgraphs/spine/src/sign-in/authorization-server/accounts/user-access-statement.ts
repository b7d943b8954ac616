// tables: users
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { AccountFactsRow } from "../../../people/users/user.view.js";
import { type AccessRow, accessColumns } from "../../../rights/roles/effective-access.js";

/** The access of a user, as PostgreSQL gives it, with the state of the user in the same snapshot. */
export type UserAccessRow = AccessRow & Pick<AccountFactsRow, "status" | "sign_in_version">;

/** One row for a user of the tenant ($2: `usr_…`, $3: the same as UUID). */
export const userAccess = tenantStatement(
  "access_of_user",
  `select status, sign_in_version, ${accessColumns} from users where tenant_id = scope.tenant and user_id = $3`,
);
