import type { PrincipalType } from "@factory/schema/vocabularies/people";

/** An operation's caller, as a verified access token describes it. */
export interface Principal {
  subject: string;
  clientId: string;
  /** `ten_…`; undefined for a token that does not belong to a tenant. */
  tenantId: string | undefined;
  tenantSlug: string | undefined;
  /** The tenant's edition when the token was issued. */
  editionCode?: string | undefined;
  scopes: ReadonlySet<string>;
  principalType: PrincipalType;
  platformAdmin: boolean;
  /** For agents: the task for which the token was issued. */
  agentTaskId: string | undefined;
  /** The grant (sign-in) from which the token was issued; all its tokens can be revoked together. */
  grantId?: string | undefined;
  /** The agents that act for the subject, the current one first (`act`, RFC 8693, section 4.1). */
  actors?: readonly string[];
  /**
   * Clients whose end also ends the token (claim `versions`): for an exchanged token, also those in its subject token.
   */
  clients?: readonly string[];
  /** The approval that gave the principal its publishing scopes. */
  approvalId?: string | undefined;
  /** The tenant let the principal publish without an approval when the token was issued. */
  publishApproval?: "NotRequired" | undefined;
  /** Publishing scopes that the principal holds and may use only after an approval. They are not in `scopes`. */
  withheldScopes?: readonly string[] | undefined;
  /** When a person last signed in (`auth_time`, epoch seconds); absent for services and agents. */
  authTime?: number | undefined;
  /**
   * The level at a person's last sign-in (`acr`, see schema/authentication-levels.ts); absent for services and agents.
   */
  acr?: string | undefined;
  /** Whether a person's token was issued to one of the platform's own clients; absent for services and agents. */
  firstParty?: boolean | undefined;
  /** Whether the person's token came from the password grant, or from a refresh token that this grant issued. */
  passwordGrant?: boolean | undefined;
  roles: readonly string[];
  /** The claim `jti`. */
  tokenId: string;
  /** Epoch seconds. */
  expiresAt: number;
}
