import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { isAgentScope, needsAgentApproval } from "@factory/schema/scopes";
import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from "oidc-provider";
import type { PublishApprovals, PublishingDecision } from "../../../approvals/publish-approvals.js";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { namedOf, requireApproved } from "../accounts/required-approval.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { defaultScopes, requestableScopes, scopeNotAllowed } from "./identity-scopes.js";
import { type SignedInAccount, signedInAccountOf } from "./signed-in-account.js";

const accessTokenSeconds = 900;

/** An agent's access token lives no longer than this. */
export const agentTokenSeconds = 600;

/** The claims that tell resources why a service may publish, by the request for its token. */
const publishingOf = new WeakMap<object, PublishingDecision>();

/** The decision on publishing scopes for a service that asks for its own token; undefined for other requests. */
export const servicePublishing = (context: KoaContextWithOIDC): PublishingDecision | undefined =>
  publishingOf.get(context);

/** The platform as oidc-provider's resource server (RFC 8707). */
export class PlatformResourceServer {
  readonly #issuer: string;
  readonly #publishing: PublishApprovals;

  constructor(issuer: string, publishing: PublishApprovals) {
    this.#issuer = issuer;
    this.#publishing = publishing;
  }

  /**
   * The access token's scopes, audience and lifetime. Called once the client, and the user if there is one, is known.
   * Throws an OAuth error if the tenant is not Active, or if the client asks for scopes that it does not have.
   */
  async info(context: KoaContextWithOIDC, resource: string, client: Client): Promise<ResourceServer> {
    if (resource.replace(/\/$/, "") !== this.#issuer) throw new errors.InvalidTarget();
    const registeredClient = registeredClientOf(client);
    const { route } = context.oidc;
    if (route === "authorization" || route === "resume") chooseScopes(context, registeredClient);
    if (registeredClient.tenantStatus !== "Active")
      throw new OAuthError(
        "TENANT_SUSPENDED",
        "invalid_grant",
        "The tenant of the client is not active. Ask a platform administrator.",
      );
    const account = signedInAccountOf(context);
    const isService = context.oidc.params?.["grant_type"] === "client_credentials";
    const clientScopes = isService ? await this.#serviceScopes(context, registeredClient) : ownScopes(registeredClient);
    const scopes = account?.access.scopes ?? clientScopes;
    const lasts = registeredClient.principalType === "Agent" ? agentTokenSeconds : accessTokenSeconds;
    return {
      scope: scopes.join(" "),
      audience: this.#issuer,
      accessTokenFormat: "jwt",
      accessTokenTTL: Math.max(1, Math.min(lasts, secondsLeft(account, servicePublishing(context)))),
      jwt: { sign: { alg: "ES256" } },
    };
  }

  /** A publishing scope that needs an approval and is not asked for by name is left out. */
  async #serviceScopes(context: KoaContextWithOIDC, client: RegisteredClient): Promise<readonly string[]> {
    const clientScopes = ownScopes(client);
    const scopeParameter = context.oidc.params?.["scope"];
    if (typeof scopeParameter === "string") requireKnownScopes(scopeParameter.split(" "), clientScopes);
    const { clientId, principalType } = client;
    const publisher = { tenant: tenantWithId(client.tenantId), principalType, clientId, subject: clientId };
    const decision = await this.#publishing.decide(publisher, clientScopes);
    const missing = namedOf(scopeParameter, decision.withheld);
    if (missing.length > 0)
      await requireApproved(this.#publishing.request(publisher, missing, causeOf(context, clientId)));
    publishingOf.set(context, decision);
    if (typeof scopeParameter !== "string") askFor(context, decision.scopes);
    return decision.scopes;
  }
}

/** A token ends with the approval that it was issued for, and with its user's session. */
function secondsLeft(account: SignedInAccount | undefined, service: PublishingDecision | undefined): number {
  const { validUntil = Number.POSITIVE_INFINITY } = account?.access.publishing ?? service ?? {};
  const { authTime = Number.POSITIVE_INFINITY } = account?.signIn ?? {};
  const sessionEnd = authTime + (account?.access.sessionSeconds ?? 0);
  return Math.floor(Math.min(validUntil / 1000, sessionEnd) - Date.now() / 1000);
}

/**
 * The scopes for a client that acts for itself. An agent gets publishing scopes by token exchange only: acting for
 * itself it has no subject, so no other person could be asked to approve.
 */
function ownScopes({ scopes, principalType }: RegisteredClient): readonly string[] {
  return principalType === "Agent"
    ? scopes.filter((scope) => isAgentScope(scope) && !needsAgentApproval(scope))
    : scopes;
}

/** Checked at the authorization endpoint, so that the error goes back to the client (RFC 6749 section 4.1.2.1). */
function chooseScopes(context: KoaContextWithOIDC, client: RegisteredClient): void {
  if (client.tenantStatus !== "Active") throw new errors.AccessDenied("The tenant of the client is not active.");
  const { scope: scopeParameter, prompt } = context.oidc.params ?? {};
  const counting =
    typeof scopeParameter === "string"
      ? requestableScopes(scopeParameter.split(" "), client)
      : defaultScopes(client, prompt);
  askFor(context, counting);
}

function requireKnownScopes(requestedScopes: readonly string[], allowedScopes: readonly string[]): void {
  const refusedScopes = requestedScopes.filter((scope) => !allowedScopes.includes(scope));
  if (refusedScopes.length > 0) throw scopeNotAllowed(refusedScopes);
}

function askFor({ oidc }: KoaContextWithOIDC, scopes: readonly string[]): void {
  if (oidc.params) oidc.params["scope"] = scopes.join(" ") || undefined;
}
