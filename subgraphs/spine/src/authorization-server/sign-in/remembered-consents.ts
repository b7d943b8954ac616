import { errors, type Grant, type KoaContextWithOIDC } from "oidc-provider";
import type { Pool } from "pg";
import { isOnOwnMachine, redirectUriAllowed } from "../../oauth-clients/redirect-uri.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { accountOf, type SignedInAccount } from "../tokens/resource-server.js";
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

/**
 * Each authorization is a grant of its own, so that revoking one family of tokens leaves the others alone. What somebody
 * has agreed to is what the living grants of a client hold together, as far as they were given on the terms of now.
 */
export class RememberedConsents {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The grant to go on with; undefined: he has to be asked. */
  async grantFor(context: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { oidc } = context;
    const account = accountOf(context);
    const client = registeredClientOf(oidc.client);
    if (!account || oidc.promptPending("login")) return undefined;
    const asked = [...oidc.requestParamScopes];
    requireUsable(asked, account);
    const redirectUri = String(oidc.params?.["redirect_uri"]);
    // oidc-provider 9.13 checks it at the first request only, and the sign-in may have taken half an hour
    if (!redirectUriAllowed(redirectUri, client.redirectUris)) throw new errors.InvalidRedirectUri();
    const asks = consentMode(client, redirectUri);
    const terms = asks === "never" ? undefined : await this.termsOf(client);
    const given = oidc.result?.consent?.grantId;
    if (given !== undefined) return givenOn(terms, await oidc.provider.Grant.find(given));
    if (oidc.promptPending("consent") || asks === "always") return undefined;
    if (terms !== undefined && !(await this.#remembers([account.accountId, client.clientId, terms], asked)))
      return undefined;
    const grant = new oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    addScopes(grant, asked, Object.keys(oidc.resourceServers ?? {}));
    if (terms !== undefined) setTerms(grant, terms);
    await grant.save();
    return grant;
  }

  termsOf(client: RegisteredClient): Promise<ConsentTerms> {
    return consentTerms(this.#pool, client);
  }

  async #remembers(values: [accountId: string, clientId: string, terms: string], asked: readonly string[]) {
    const { rows } = await this.#pool.query<{ payload: GrantPayload }>({ ...grantsOf, values });
    const agreed = new Set(
      rows.flatMap(({ payload: { openid, resources = {} } }) =>
        [openid?.scope ?? "", ...Object.values(resources)].flatMap((scopes) => scopes.split(" ")),
      ),
    );
    return asked.every((scope) => agreed.has(scope));
  }
}

function requireUsable(asked: readonly string[], { access }: SignedInAccount): void {
  const ofResource = asked.filter((scope) => scope !== "openid");
  if (ofResource.length > 0 && !ofResource.some((scope) => access.scopes.includes(scope)))
    throw new errors.AccessDenied("none of the requested scopes is allowed");
}

/** The client may have changed since the form was sent. */
const givenOn = (terms: ConsentTerms | undefined, grant: Grant | undefined) =>
  terms === undefined || (grant && hasTerms(grant, terms)) ? grant : undefined;

/** RFC 8252 section 8.6: any process on a person's machine can pose as a public client there, one of ours too. */
function consentMode({ isPublic, firstParty }: RegisteredClient, redirectUri: string): "always" | "once" | "never" {
  if (isPublic && isOnOwnMachine(redirectUri)) return "always";
  return firstParty ? "never" : "once";
}

/** Roles are looked at when tokens are made: a grant holds what was agreed to. */
export function addScopes(grant: Grant, scopes: readonly string[], resources: readonly string[]): void {
  if (scopes.includes("openid")) grant.addOIDCScope("openid");
  const ofResource = scopes.filter((scope) => scope !== "openid").join(" ");
  if (ofResource !== "") for (const resource of resources) grant.addResourceScope(resource, ofResource);
}
