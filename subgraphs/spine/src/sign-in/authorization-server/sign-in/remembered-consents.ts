import { hash } from "node:crypto";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { isIdentityScope } from "@factory/schema/scopes";
import { errors, type Grant, type KoaContextWithOIDC } from "oidc-provider";
import type { Pool } from "pg";
import { isOnOwnMachine, redirectUriAllowed } from "../../../oauth-clients/redirect-uri.js";
import { isOfVersions, setGrantVersions, signInVersionOf } from "../accounts/stored-versions.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import type { RequestVisit } from "../oauth-requests/request-visit.js";
import { type SignedInAccount, signedInAccountOf } from "../tokens/signed-in-account.js";
import { type ConsentTerms, consentTerms, hasTerms, setTerms } from "./consent-terms.js";

interface GrantPayload {
  openid?: { scope?: string };
  resources?: Record<string, string>;
}

const grantsOf = {
  name: "grants_of_account",
  text: `select payload from oidc_artifacts
    where kind = 'Grant' and account_id = $1 and payload->>'clientId' = $2 and payload->>'terms' = $3
      and expires_at > now()
    order by expires_at desc limit 50`,
};

const grantVisit = namedStatement(
  "visit_of_grant",
  `update oidc_artifacts set user_agent = $userAgent, address = $address, uid_digest = $session, seen_at = now()
    where kind = 'Grant' and grant_id = $grantId`,
);

/**
 * Users' consents. Each authorization makes its own grant, so that revoking one token family does not end others. A
 * user has agreed to the scopes in all grants that are valid now and were given on the current terms.
 */
export class RememberedConsents {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The current request's grant; undefined if the user has to be asked. */
  async grantFor(context: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { oidc } = context;
    const account = signedInAccountOf(context);
    const client = registeredClientOf(oidc.client);
    if (!account || oidc.promptPending("login")) return undefined;
    const requestedScopes = [...oidc.requestParamScopes];
    requireUsable(requestedScopes, account);
    const redirectUri = String(oidc.params?.["redirect_uri"]);
    // checked again: oidc-provider 9.13 checks it at the first request only, and the sign-in may take half an hour
    if (!redirectUriAllowed(redirectUri, client.redirectUris)) throw new errors.InvalidRedirectUri();
    const mode = consentMode(client, redirectUri);
    const terms = mode === "never" ? undefined : await this.termsOf(client);
    const grantId = oidc.result?.consent?.grantId;
    if (grantId !== undefined) {
      const grant = givenOn(terms, await oidc.provider.Grant.find(grantId));
      return isOfVersions(grant, account.user, client) ? grant : undefined;
    }
    if (oidc.promptPending("consent") || mode === "always") return undefined;
    if (terms !== undefined && !(await this.#hasAgreed([account.accountId, client.clientId, terms], requestedScopes)))
      return undefined;
    const grant = new oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    addScopes(grant, requestedScopes, Object.keys(oidc.resourceServers ?? {}));
    if (terms !== undefined) setTerms(grant, terms);
    setGrantVersions(grant, signInVersionOf(oidc.session), client);
    await grant.save();
    return grant;
  }

  /** Stores where a grant was made that the page for the consent has saved. */
  async noteVisit(grantId: string, { userAgent, address, sessionUid }: RequestVisit): Promise<void> {
    const session = sessionUid === undefined ? null : hash("sha256", sessionUid, "hex");
    const visit = { grantId, userAgent: userAgent ?? null, address: address ?? null, session };
    await this.#pool.query({ ...grantVisit, values: grantVisit.valuesOf(visit) });
  }

  /** The current terms for a consent to this client. */
  termsOf(client: RegisteredClient): Promise<ConsentTerms> {
    return consentTerms(this.#pool, client);
  }

  async #hasAgreed(values: [accountId: string, clientId: string, terms: string], requestedScopes: readonly string[]) {
    const { rows } = await this.#pool.query<{ payload: GrantPayload }>({ ...grantsOf, values });
    const agreedScopes = new Set(
      rows.flatMap(({ payload: { openid, resources = {} } }) =>
        [openid?.scope ?? "", ...Object.values(resources)].flatMap((scopes) => scopes.split(" ")),
      ),
    );
    return requestedScopes.every((scope) => agreedScopes.has(scope));
  }
}

function requireUsable(requestedScopes: readonly string[], { access }: SignedInAccount): void {
  const ofResource = requestedScopes.filter((scope) => !isIdentityScope(scope));
  if (ofResource.length > 0 && !ofResource.some((scope) => access.scopes.includes(scope)))
    throw new errors.AccessDenied("The roles of the user give none of the requested scopes.");
}

/** Undefined if the client has changed since the user agreed. */
const givenOn = (terms: ConsentTerms | undefined, grant: Grant | undefined) =>
  terms === undefined || (grant && hasTerms(grant, terms)) ? grant : undefined;

/**
 * RFC 8252 section 8.6: any process on a user's machine can pose as a public client there, also as a first-party one.
 */
function consentMode({ isPublic, firstParty }: RegisteredClient, redirectUri: string): "always" | "once" | "never" {
  if (isPublic && isOnOwnMachine(redirectUri)) return "always";
  return firstParty ? "never" : "once";
}

/** Adds the agreed scopes to a grant. The user's roles limit them later, whenever a token is made. */
export function addScopes(grant: Grant, scopes: readonly string[], resources: readonly string[]): void {
  const identity = scopes.filter(isIdentityScope).join(" ");
  if (identity !== "") grant.addOIDCScope(identity);
  const ofResource = scopes.filter((scope) => !isIdentityScope(scope)).join(" ");
  if (ofResource !== "") for (const resource of resources) grant.addResourceScope(resource, ofResource);
}
