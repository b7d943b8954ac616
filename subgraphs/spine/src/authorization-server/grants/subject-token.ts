import type { Principal } from "@factory/runtime/auth/principal";
import type { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { errorCodes } from "@factory/schema/error-codes";
import { decodeJwt } from "jose";
import type { Pool } from "pg";
import { isTokenRevoked } from "../../revocations/token-revocation.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

/** The token that an agent brings: for whom it is to act. */
export interface SubjectToken {
  readonly principal: Principal;
}

/** Takes access tokens of this issuer that any resource of ours would take, of the agent's own tenant. */
export class SubjectTokenVerifier {
  readonly #verifier: Pick<TokenVerifier, "verify">;
  readonly #pool: Pool;

  /** `pool` connects as the worker: a grant may have been revoked in another tenant than its user's. */
  constructor(verifier: Pick<TokenVerifier, "verify">, pool: Pool) {
    this.#verifier = verifier;
    this.#pool = pool;
  }

  /** What is wrong with the token is invalid_request (RFC 8693 section 2.2.2). */
  async verify(token: string, agent: Pick<RegisteredClient, "clientId" | "tenantId">): Promise<SubjectToken> {
    const principal = await this.#verified(token);
    const claims = decodeJwt(token);
    if (await isTokenRevoked(this.#pool, claims)) throw refusal("TOKEN_INVALID", "The subject_token was revoked.");
    if (principal.tenantId !== agent.tenantId)
      throw refusal("TENANT_MISMATCH", "The subject_token belongs to another tenant than the client.");
    if (principal.principalType === "Agent" && (principal.actors ?? []).length === 0)
      throw refusal("TOKEN_INVALID", "The subject_token is an agent's own: an agent acts for a user or a service.");
    if (!mayAct(claims["may_act"], agent.clientId))
      throw refusal("TOKEN_INVALID", "The subject_token names another actor than the client.");
    return { principal };
  }

  async #verified(token: string): Promise<Principal> {
    try {
      return await this.#verifier.verify(token);
    } catch (error) {
      if (!(error instanceof DomainError) || errorCodes[error.code].status === 503) throw error;
      const description = `The subject_token is refused: ${error.message}`;
      // 403 as at every other door of the platform
      if (error.code === "TENANT_UNKNOWN")
        throw new OAuthError(error.code, "invalid_request", description, { status: 403 });
      throw refusal(error.code, description);
    }
  }
}

/** RFC 8693 section 4.4: whoever issued the token may have said who acts with it. */
function mayAct(claim: unknown, agentClientId: string): boolean {
  if (claim === undefined) return true;
  return typeof claim === "object" && claim !== null && (claim as { sub?: unknown }).sub === agentClientId;
}

function refusal(code: OAuthError["code"], description: string): OAuthError {
  return new OAuthError(code, "invalid_request", description);
}
