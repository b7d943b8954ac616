import { errors, type Grant, type KoaContextWithOIDC } from "oidc-provider";
import type { Pool } from "pg";
import { accountOf, registeredOf } from "../token-terms.js";

interface GrantPayload {
  openid?: { scope?: string };
  resources?: Record<string, string>;
}

const grantsOf = {
  name: "grants_of_account",
  text: `select payload from oidc_artifacts
    where kind = 'Grant' and account_id = $1 and payload->>'clientId' = $2 and expires_at > now()
    order by expires_at desc limit 50`,
};

/**
 * Each authorization is a grant of its own, so that revoking one family of tokens leaves the others alone. What somebody
 * has agreed to is what the living grants of a client hold together.
 */
export class ConsentMemory {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The grant to go on with; undefined: he has to be asked. */
  async grantFor(context: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { oidc } = context;
    const account = accountOf(context);
    const client = registeredOf(oidc.client);
    if (!account || oidc.promptPending("login")) return undefined;
    const asked = [...oidc.requestParamScopes];
    const beyondIdentity = asked.filter((scope) => scope !== "openid");
    if (beyondIdentity.length > 0 && !beyondIdentity.some((scope) => account.access.scopes.includes(scope)))
      throw new errors.AccessDenied("none of the requested scopes is allowed");
    const given = oidc.result?.consent?.grantId;
    if (given !== undefined) return oidc.provider.Grant.find(given);
    if (oidc.promptPending("consent")) return undefined;
    if (!client.firstParty && !(await this.#remembers(account.accountId, client.clientId, asked))) return undefined;
    const grant = new oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    addScopes(grant, asked, Object.keys(oidc.resourceServers ?? {}));
    await grant.save();
    return grant;
  }

  async #remembers(accountId: string, clientId: string, asked: readonly string[]): Promise<boolean> {
    const { rows } = await this.#pool.query<{ payload: GrantPayload }>({ ...grantsOf, values: [accountId, clientId] });
    const agreed = new Set(
      rows.flatMap(({ payload: { openid, resources = {} } }) =>
        [openid?.scope ?? "", ...Object.values(resources)].flatMap((scopes) => scopes.split(" ")),
      ),
    );
    return asked.every((scope) => agreed.has(scope));
  }
}

/** Roles are looked at when tokens are made: a grant holds what was agreed to. */
export function addScopes(grant: Grant, scopes: readonly string[], resources: readonly string[]): void {
  if (scopes.includes("openid")) grant.addOIDCScope("openid");
  const ofResource = scopes.filter((scope) => scope !== "openid").join(" ");
  if (ofResource !== "") for (const resource of resources) grant.addResourceScope(resource, ofResource);
}
