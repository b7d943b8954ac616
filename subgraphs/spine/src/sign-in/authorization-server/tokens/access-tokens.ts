import { actorClaim, actorsOf } from "@factory/runtime/auth/token-claims";
import { versionsClaim } from "@factory/runtime/auth/token-versions";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type { Pool } from "pg";
import { z } from "zod";
import { revocableParameters } from "../../../ground/revocations/token-revocation.js";
import { tokenStatus } from "./token-status-statement.js";

const accessTokenClaims = z.looseObject({
  jti: z.string(),
  sub: z.string(),
  client_id: z.string(),
  versions: versionsClaim,
  tenantId: z.string(),
  principalType: z.string(),
  scope: z.string().optional(),
  grantId: z.string().optional(),
  act: actorClaim,
});

/** Claims in an access token that this server signed and that has not expired. */
export type AccessTokenClaims = z.infer<typeof accessTokenClaims>;

/** `Revoked` also says that the tenant is not Active. */
type AccessTokenStatus = "Good" | "Revoked" | "TenantUnknown";

interface AccessTokensOptions {
  issuer: string;
  /** The keys that are published now. */
  keys: () => JSONWebKeySet;
  /** Connects as the spine's worker role. */
  pool: Pool;
}

/** Verifies this server's access tokens. They are signed, not stored; the database knows only their revocations. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  /** The claims in a token with a valid signature that has not expired; undefined for every other text. */
  async verify(token: string): Promise<AccessTokenClaims | undefined> {
    const { issuer, keys } = this.#options;
    const checks = { issuer, audience: issuer, typ: "at+jwt", algorithms: ["ES256"] };
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys()), checks).catch(() => ({ payload: undefined }));
    return accessTokenClaims.safeParse(payload).data;
  }

  /** Whether the token, its grant, its user or one of its clients was revoked, and whether its tenant is Active. */
  async status(token: AccessTokenClaims): Promise<AccessTokenStatus> {
    const { jti: tokenId, grantId, sub: subject, client_id: clientId, tenantId, act, versions } = token;
    const clients = Object.keys(versions.clients);
    const principal = { tokenId, grantId, subject, clientId, actors: actorsOf(act), clients };
    const values = [decodeId("ten", tenantId), ...revocableParameters({ principal, versions })];
    const { rows } = await this.#options.pool.query<{ good: boolean }>({ ...tokenStatus, values });
    if (!rows[0]) return "TenantUnknown";
    return rows[0].good ? "Good" : "Revoked";
  }
}
