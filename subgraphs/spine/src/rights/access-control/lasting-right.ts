import { requireFreshSignIn } from "@factory/runtime/auth/step-up";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { ownsSecondFactor } from "./second-factor-statement.js";

const secondFactor = tenantStatement("owns_second_factor", ownsSecondFactor);

/**
 * Clients, accounts and roles outlive the session in which a person gives them. Throws AUTHENTICATION_TOO_OLD unless
 * this person signed in at most 15 minutes ago, and AUTHENTICATION_TOO_WEAK without the second factor that the person
 * has. Services are not asked: their own credential lasts, too.
 */
export async function requireSignInForLastingRight(database: Database, context: RequestContext): Promise<void> {
  const principal = principalOf(context);
  if (principal.principalType !== "User") return;
  requireFreshSignIn(principal, null);
  const userId = decodeId("usr", principal.subject);
  const row = await database.reader.row<{ owns: boolean }>(secondFactor, tenantOf(context), userId);
  if (row?.owns) requireFreshSignIn(principal, "urn:factory:acr:second-factor");
}
