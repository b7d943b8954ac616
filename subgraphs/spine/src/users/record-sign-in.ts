import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";

/** Stores the time of a user's latest sign-in. `pool` connects as the worker role of the spine. */
export async function recordSignIn(pool: Pool, tenant: Tenant, userId: string): Promise<void> {
  await pool.query("update users set last_login_at = now() where tenant_id = $1 and user_id = $2", [
    tenant.uuid,
    decodeId("usr", userId),
  ]);
}
