import type { Principal } from "@factory/runtime/auth/principal";
import { readClaims } from "@factory/runtime/auth/token-claims";
import type { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import type { TokenVersions } from "@factory/runtime/auth/token-versions";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { errorCodes } from "@factory/schema/error-codes";
import { decodeJwt } from "jose";
import type { Pool } from "pg";
import { isTokenRevoked } from "../../../ground/revocations/token-revocation.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

/** The verified subject_token in a token exchange: the principal for whom the agent acts. */
export interface SubjectToken {
  readonly principal: Principal;
  readonly versions: TokenVersions;
}

/** Verifies subject tokens: valid access tokens from this issuer, in the agent's tenant. */
export class SubjectTokenVerifier {
  readonly #verifier: Pick<TokenVerifier, "verify">;
  readonly #pool: Pool;

  /** `pool` connects as the worker role: a grant may have been revoked in another tenant than its user's tenant. */
  constructor(verifier: Pick<TokenVerifier, "verify">, pool: Pool) {
    this.#verifier = verifier;
    this.#pool = pool;
  }

  /** Throws `OAuthError` with `invalid_request` for every invalid token (RFC 8693 section 2.2.2). */
  async verify(token: string, agent: Pick<RegisteredClient, "clientId" | "tenantId">): Promise<SubjectToken> {
    const principal = await this.#verified(token);
    const claims = decodeJwt(token);
    const { versions } = readClaims(claims, Math.floor(Date.now() / 1000));
    if (await isTokenRevoked(this.#pool, { principal, versions }))
      throw invalidToken("TOKEN_INVALID", "The subject_token was revoked. Get a new one from its subject.");
    if (principal.tenantId !== agent.tenantId)
      throw invalidToken(
        "TENANT_MISMATCH",
        "The subject_token belongs to another tenant. Use a token of the tenant of the client.",
      );
    if (principal.principalType === "Agent" && (principal.actors ?? []).length === 0)
      throw invalidToken(
        "TOKEN_INVALID",
        "The subject_token belongs to an agent that acts for itself. Use a token of a user or a service.",
      );
    if (!mayAct(claims["may_act"], agent.clientId))
      throw invalidToken("TOKEN_INVALID", "The claim may_act of the subject_token does not name this client.");
    return { principal, versions };
  }

  async #verified(token: string): Promise<Principal> {
    try {
      return await this.#verifier.verify(token);
    } catch (error) {
      if (!(error instanceof DomainError) || errorCodes[error.code].status === 503) throw error;
      const description = `The subject_token is not accepted: ${error.message}`;
      // every other platform endpoint answers 403 to an unknown tenant, too
      if (error.code === "TENANT_UNKNOWN")
        throw new OAuthError(error.code, "invalid_request", description, { status: 403 });
      throw invalidToken(error.code, description);
    }
  }
}

/** RFC 8693 section 4.4: the claim `may_act` names the only client that may act with the token. */
function mayAct(claim: unknown, agentClientId: string): boolean {
  if (claim === undefined) return true;
  return typeof claim === "object" && claim !== null && (claim as { sub?: unknown }).sub === agentClientId;
}

function invalidToken(code: OAuthError["code"], description: string): OAuthError {
  return new OAuthError(code, "invalid_request", description);
}
