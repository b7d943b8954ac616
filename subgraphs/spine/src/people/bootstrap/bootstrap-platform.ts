import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ClientSecrets } from "../../oauth-clients/client-secret.js";
import { ensurePlatformClient, type GivenClient, type PlatformClient } from "../../oauth-clients/platform-client.js";
import { bringSystemRolesUpToDate } from "../../rights/roles/seed-system-roles.js";
import { createPlatformTenant } from "../../tenants/tenants/create-tenant.js";
import { platformTenant } from "../../tenants/tenants/platform-tenant.js";

/** At every start: makes what the platform's tenant, its roles and its administrator client lack. */
export async function bootstrapPlatform(
  database: Database,
  secrets: ClientSecrets,
  givenClient: GivenClient | undefined,
): Promise<PlatformClient> {
  const cause = { trace: continueTrace(undefined), actorId: "bootstrap" };
  return database.transaction(platformTenant, cause, async (transaction) => {
    // two processes that start together make one client
    await transaction.execute("select pg_advisory_xact_lock($1)", [advisoryLocks.platformClient]);
    const tenant = await createPlatformTenant(transaction);
    if (tenant) await bringSystemRolesUpToDate(transaction, tenant);
    return ensurePlatformClient(transaction, secrets, givenClient);
  });
}
