import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import type { Cause } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Client, KoaContextWithOIDC, RefreshToken } from "oidc-provider";
import { recordRevocation } from "../../../ground/revocations/record-revocation.js";
import type { AccessTokenClaims } from "./access-tokens.js";
import type { TokenFamilies } from "./token-families.js";
import { unrevokedToken } from "./token-status-statement.js";

/** The revocation endpoint (RFC 7009). */
export const revocationPath = "/connect/revocation";

/**
 * oidc-provider's `revocation` feature (RFC 7009), which serves refresh tokens: revoking one ends its whole token
 * family. A client revokes only its own tokens.
 */
export function refreshTokenRevocation(families: TokenFamilies) {
  return {
    enabled: true,
    allowedPolicy: async (_context: KoaContextWithOIDC, client: Client, token: object) => {
      const { clientId, grantId } = token as Pick<RefreshToken, "clientId" | "grantId">;
      if (clientId !== client.clientId) return false;
      if (grantId) await families.revoke(grantId, "TokenRevoked");
      return true;
    },
  };
}

/**
 * Revokes one access token (RFC 7009) and records `TokenRevoked`. Does nothing for a token that was revoked before, and
 * for a tenant that does not exist.
 */
export async function revokeAccessToken(database: Database, token: AccessTokenClaims, cause: Cause): Promise<void> {
  const { jti, sub, client_id: clientId, tenantId, principalType } = token;
  await database.transaction(tenantWithId(tenantId), cause, async ({ execute, tenant, notify, record, audit }) => {
    await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.token(jti)]);
    const [row] = await execute(unrevokedToken, [jti, tenant.uuid]);
    if (!row) return;
    await recordRevocation({ execute, tenant, notify }, "Token", jti);
    const userId = principalType === "User" ? sub : null;
    const subject = userId === null ? `clients/${clientId}` : `users/${userId}`;
    audit({ operation: `POST ${revocationPath}`, clientid: clientId });
    record({ type: "TokenRevoked", subject, data: { tenantId, clientId, userId, grantId: null, tokenId: jti } });
  });
}
