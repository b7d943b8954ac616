// tables: passkeys, totp_factors

/** Whether the user `$2` (UUID) has a second factor. */
export const ownsSecondFactor = `select exists (select from totp_factors where tenant_id = scope.tenant and user_id = $2)
    or exists (select from passkeys where tenant_id = scope.tenant and user_id = $2) as owns`;
