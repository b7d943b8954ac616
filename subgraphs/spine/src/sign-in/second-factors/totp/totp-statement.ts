import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { TotpFactor } from "./totp-factor.entity.js";

// tables: totp_factors

const members = ["factorId", "sealedSecret", "lastStep", "createdAt", "lastUsedAt"] as const;

export type TotpRow = RowOf<TotpFactor, (typeof members)[number]>;

/** The authenticator apps of the user `$2`, the oldest first. */
export const totpFactorsOfUser = tenantStatement(
  "totp_factors_of_user",
  `select ${columnsOf(TotpFactor, members)} from totp_factors
   where tenant_id = scope.tenant and user_id = $2 order by factor_id limit 20`,
);

/** Uses the code of a step. Without a row this code or a later one was used before. */
export const useTotpStep = namedStatement(
  "use_totp_step",
  `update totp_factors set last_step = $step, last_used_at = now()
    where tenant_id = $tenant and user_id = $user and factor_id = $factor and last_step < $step returning factor_id`,
);
