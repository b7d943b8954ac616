export const principalTypes = ["User", "Service", "Agent"] as const;
export type PrincipalType = (typeof principalTypes)[number];

/** Who is calling, as a verified access token says. */
export interface Principal {
  subject: string;
  clientId: string;
  /** `ten_…`; undefined for a token that is bound to no tenant. */
  tenantId: string | undefined;
  tenantSlug: string | undefined;
  /** Of the tenant's plan, as it was when the token was issued. */
  editionCode?: string | undefined;
  scopes: ReadonlySet<string>;
  principalType: PrincipalType;
  platformAdmin: boolean;
  /** Set for agents: the one task the token was issued for. */
  agentTaskId: string | undefined;
  /** The sign-in that the token comes from; it can be revoked as a whole. */
  grantId?: string | undefined;
  /** Agents that act for the subject, the one at hand first (`act`, RFC 8693 section 4.1). */
  actors?: readonly string[];
  /** What an agent's publishing scopes rest on. */
  approvalId?: string | undefined;
  /** When a person last proved who it is (`auth_time`, epoch seconds); absent for services and agents. */
  authTime?: number | undefined;
  /** A person's token was issued to a client of the platform's own; absent for services and agents. */
  firstParty?: boolean | undefined;
  roles: readonly string[];
  /** `jti` */
  tokenId: string;
  /** Epoch seconds. */
  expiresAt: number;
}
