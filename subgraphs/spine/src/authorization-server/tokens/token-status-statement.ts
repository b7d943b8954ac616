// tables: tenants, revocations

/**
 * One row with `good` unless the tenant ($1) is unknown. `good`: the tenant is Active, and neither the token ($2), its
 * grant ($3), its user ($4) nor one of its clients ($5) was revoked. $6 and $7 are the times in epoch milliseconds from
 * which a revocation of the user or of a client covers the token; $8 is the platform's tenant.
 */
export const tokenStatus = {
  name: "standing_of_token",
  // the client of a user's token belongs to the user's tenant or to the platform's tenant
  text: `select tenant.status = 'Active' and not exists (
      select from revocations where tenant_id in ($1, $8) and expires_at > now() and (
        (kind = 'Token' and subject = $2) or (kind = 'Grant' and subject = $3)
        or (kind = 'Principal' and subject = $4 and revoked_at >= to_timestamp($6 / 1000.0))
        or (kind = 'Client' and subject = any($5) and revoked_at >= to_timestamp($7 / 1000.0)))) as good
    from tenants tenant where tenant_id = $1`,
};

/** One row if the tenant ($2) exists and the token ($1) was not revoked yet. */
export const unrevokedToken = `select from tenants where tenant_id = $2
  and not exists (select from revocations where kind = 'Token' and subject = $1)`;
