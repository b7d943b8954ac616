// tables: tenants, revocations
import { coversToken } from "../../../ground/revocations/token-revocation.js";

/**
 * One row with `good` unless the tenant ($1) is unknown. `good`: the tenant is Active, and no revocation covers the token
 * ($2, $3 and $4: `revocableParameters`).
 */
export const tokenStatus = {
  name: "standing_of_token",
  text: `select tenant.status = 'Active' and not ${coversToken(2)} as good from tenants tenant where tenant_id = $1`,
};

/** One row if the tenant ($2) exists and the token ($1) was not revoked yet. */
export const unrevokedToken = `select from tenants where tenant_id = $2
  and not exists (select from revocations where kind = 'Token' and subject = $1)`;
