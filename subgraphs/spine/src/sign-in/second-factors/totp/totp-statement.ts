import { tenantStatement } from "@factory/runtime/db/tenant-statement";

// tables: totp_factors

/** A row of `totp_factors` as PostgreSQL returns it. */
export interface TotpRow {
  factor_id: string;
  sealed_secret: string;
  last_step: number;
  created_at: Date;
  last_used_at: Date | null;
}

/** The authenticator apps of the user `$2`, the oldest first. */
export const totpFactorsOfUser = tenantStatement(
  "totp_factors_of_user",
  `select factor_id, sealed_secret, last_step, created_at, last_used_at from totp_factors
   where tenant_id = scope.tenant and user_id = $2 order by factor_id limit 20`,
);

/** Uses the code of the step `$4` of a factor. Without a row this code or a later one was used before. */
export const useTotpStep = {
  name: "use_totp_step",
  text: `update totp_factors set last_step = $4, last_used_at = now()
    where tenant_id = $1 and user_id = $2 and factor_id = $3 and last_step < $4 returning factor_id`,
};
