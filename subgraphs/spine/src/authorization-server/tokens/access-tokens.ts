import { clientsOf, marginOf, type Revocation } from "@factory/runtime/auth/revocations";
import { actorClaim, actorsOf } from "@factory/runtime/auth/token-claims";
import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type { Pool } from "pg";
import { z } from "zod";
import { recordRevocation } from "../../revocations/record-revocation.js";
import { platformTenant } from "../../tenants/platform-tenant.js";
import { tokenStatus, unrevokedToken } from "./token-status-statement.js";

const ours = z.looseObject({
  jti: z.string(),
  sub: z.string(),
  client_id: z.string(),
  iat: z.number(),
  issuedAtMs: z.number().optional(),
  tenantId: z.string(),
  principalType: z.string(),
  scope: z.string().optional(),
  grantId: z.string().optional(),
  act: actorClaim,
});

/** Claims of an access token that this server signed and that has not expired. */
export type AccessTokenClaims = z.infer<typeof ours>;

export interface AccessTokensOptions {
  issuer: string;
  /** Those published now. */
  keys: () => JSONWebKeySet;
  pool: Pool;
  database: Database;
}

/** Access tokens that are signed and out: nothing is stored of them but their revocation. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  /** Undefined for whatever is no good token of ours. */
  async read(token: string): Promise<AccessTokenClaims | undefined> {
    const { issuer, keys } = this.#options;
    const checks = { issuer, audience: issuer, typ: "at+jwt", algorithms: ["ES256"] };
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys()), checks).catch(() => ({ payload: undefined }));
    return ours.safeParse(payload).data;
  }

  /** Neither it, nor its sign-in, user, client or tenant was revoked. */
  async isGood(token: AccessTokenClaims): Promise<boolean> {
    return (await this.standing(token)) === "Good";
  }

  async standing(token: AccessTokenClaims): Promise<"Good" | "Refused" | "TenantUnknown"> {
    const { jti, grantId = null, sub, client_id: clientId, iat, issuedAtMs = iat * 1000, tenantId } = token;
    const clients = clientsOf({ clientId, subject: sub, actors: actorsOf(token.act) });
    const knows = (kind: Revocation["kind"]) => issuedAtMs - marginOf(kind, { subject: sub });
    const revoked = [jti, grantId, sub, clients, knows("Principal"), knows("Client")];
    const values = [decodeId("ten", tenantId), ...revoked, platformTenant.uuid];
    const { rows } = await this.#options.pool.query<{ good: boolean }>({ ...tokenStatus, values });
    if (!rows[0]) return "TenantUnknown";
    return rows[0].good ? "Good" : "Refused";
  }

  /** Once: a token that was revoked before stays as it is. Nothing is written for a tenant that does not exist. */
  async revoke(
    { jti, sub, client_id: clientId, tenantId, principalType }: AccessTokenClaims,
    cause: Cause,
  ): Promise<void> {
    await this.#options.database.transaction(
      tenantWithId(tenantId),
      cause,
      async ({ execute, tenant, notify, record }) => {
        await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.token(jti)]);
        const [isOpen] = await execute(unrevokedToken, [jti, tenant.uuid]);
        if (!isOpen) return;
        await recordRevocation({ execute, tenant, notify }, "Token", jti);
        const userId = principalType === "User" ? sub : null;
        const subject = userId === null ? `clients/${clientId}` : `users/${userId}`;
        record({
          type: "TokenRevoked",
          subject,
          data: { tenantId, clientId, userId, grantId: null, tokenId: jti },
        });
      },
    );
  }
}
