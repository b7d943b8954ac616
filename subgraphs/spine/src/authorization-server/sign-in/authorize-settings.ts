import { commitMarginMs } from "@factory/runtime/auth/revocations";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { accountError } from "../accounts/user-accounts.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { accountOf } from "../tokens/resource-server.js";
import type { RememberedConsents } from "./remembered-consents.js";

export const authorizePath = "/connect/authorize";
export const interactionPrefix = "/connect/interaction/";

const hourS = 3600;
const codeSeconds = 60;
const interactionSeconds = hourS / 2;
const sessionIdleSeconds = 12 * hourS;
const sessionAbsoluteSeconds = 7 * 24 * hourS;

export interface AuthorizeOptions {
  issuer: string;
  /** Signs cookies. */
  cookieKeys: Keyring;
  consents: RememberedConsents;
}

type Settings = Pick<
  Configuration,
  | "allowOmittingSingleRegisteredRedirectUri"
  | "claims"
  | "cookies"
  | "extraParams"
  | "interactions"
  | "loadExistingGrant"
  | "pkce"
  | "responseTypes"
>;

/** What oidc-provider is told of the authorization endpoint. */
export function authorizeSettings({ issuer, cookieKeys, consents }: AuthorizeOptions): Settings {
  const https = issuer.startsWith("https:");
  // a cookie of these prefixes cannot be planted from another host, nor without TLS (RFC 6265bis section 4.1.3); without
  // TLS it is a developer's machine, where everything that runs shares the cookies of 127.0.0.1
  const names = https
    ? { session: "__Host-session", interaction: "__Secure-interaction", resume: "__Secure-resume" }
    : { session: "factory-session", interaction: "factory-interaction", resume: "factory-resume" };
  const cookie = { httpOnly: true, sameSite: "lax", signed: true, secure: https } as const;
  return {
    responseTypes: ["code"],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    extraParams: ["tenant"],
    claims: { openid: ["sub", "email", "name", "tenantId", "tenantSlug"] },
    cookies: {
      keys: cookieKeys.all.map(({ bytes }) => bytes.toString("base64url")),
      names,
      short: cookie,
      long: cookie,
    },
    interactions: { url: (_context, { uid }) => `${issuer}${interactionPrefix}${uid}`, policy: policy() },
    loadExistingGrant: (context) => consents.grantFor(context),
  };
}

export const authorizeLifetimes = {
  AuthorizationCode: codeSeconds,
  Interaction: interactionSeconds,
  IdToken: hourS,
  Session(_context: unknown, { loginTs }: { loginTs?: number | undefined }): number {
    if (loginTs === undefined) return sessionIdleSeconds;
    const left = loginTs + sessionAbsoluteSeconds - Math.floor(Date.now() / 1000);
    return Math.max(1, Math.min(sessionIdleSeconds, left));
  },
} as const;

/** As it comes, and who is signed in must be somebody whom the client serves, in the tenant that was asked for. */
function policy(): interactionPolicy.DefaultPolicy {
  const prompts = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const unfit = (context: KoaContextWithOIDC) => {
    const { oidc } = context;
    if (oidc.session?.accountId === undefined) return Check.NO_NEED_TO_PROMPT;
    const user = accountOf(context)?.user;
    if (!user || accountError(user, registeredClientOf(oidc.client))) return Check.REQUEST_PROMPT;
    // he was disabled since
    if ((oidc.session.loginTs ?? 0) * 1000 < user.tokensFrom + commitMarginMs) return Check.REQUEST_PROMPT;
    const wanted = oidc.params?.["tenant"];
    const fits = wanted === undefined || wanted === user.tenantSlug || wanted === user.tenant.tenantId;
    // asked once: whoever signs in elsewhere after all has chosen
    return fits || oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
  };
  prompts
    .get("login")
    ?.checks.add(new Check("account_unfit", "the account that is signed in is not one to go on with", unfit));
  return prompts;
}
