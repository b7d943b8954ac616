import { clientsOf, marginOf, type Revocation } from "@factory/runtime/auth/revocations";
import { actorClaim, actorsOf } from "@factory/runtime/auth/token-claims";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type { Pool } from "pg";
import { z } from "zod";
import { platformTenant } from "../../tenants/platform-tenant.js";
import { tokenStatus } from "./token-status-statement.js";

const accessTokenClaims = z.looseObject({
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
export type AccessTokenClaims = z.infer<typeof accessTokenClaims>;

/** `Revoked` also says that the tenant is not Active. */
export type AccessTokenStatus = "Good" | "Revoked" | "TenantUnknown";

export interface AccessTokensOptions {
  issuer: string;
  /** The keys that are published now. */
  keys: () => JSONWebKeySet;
  /** Connects as the worker role of the spine. */
  pool: Pool;
}

/** Verifies the access tokens of this server. They are signed, not stored; the database knows only their revocations. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  /** The claims of a token with a valid signature that has not expired; undefined for every other text. */
  async verify(token: string): Promise<AccessTokenClaims | undefined> {
    const { issuer, keys } = this.#options;
    const checks = { issuer, audience: issuer, typ: "at+jwt", algorithms: ["ES256"] };
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys()), checks).catch(() => ({ payload: undefined }));
    return accessTokenClaims.safeParse(payload).data;
  }

  /** Whether the token, its grant, its user or one of its clients was revoked, and whether its tenant is Active. */
  async status(token: AccessTokenClaims): Promise<AccessTokenStatus> {
    const { jti, grantId = null, sub, client_id: clientId, iat, issuedAtMs = iat * 1000, tenantId } = token;
    const clients = clientsOf({ clientId, subject: sub, actors: actorsOf(token.act) });
    const coveredFrom = (kind: Revocation["kind"]) => issuedAtMs - marginOf(kind, { subject: sub });
    const revocable = [jti, grantId, sub, clients, coveredFrom("Principal"), coveredFrom("Client")];
    const values = [decodeId("ten", tenantId), ...revocable, platformTenant.uuid];
    const { rows } = await this.#options.pool.query<{ good: boolean }>({ ...tokenStatus, values });
    if (!rows[0]) return "TenantUnknown";
    return rows[0].good ? "Good" : "Revoked";
  }
}
