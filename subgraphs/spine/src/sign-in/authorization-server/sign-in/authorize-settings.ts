import type { Keyring } from "@factory/runtime/sealing/master-keys";
import { authenticationLevels, satisfiesLevel } from "@factory/schema/authentication-levels";
import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { signInVersionOf } from "../accounts/stored-versions.js";
import { accountError } from "../accounts/user-accounts.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { claimsOfScopes } from "../tokens/identity-claims.js";
import { type SignedInAccount, signedInAccountOf } from "../tokens/signed-in-account.js";
import { neededLevel } from "./needed-level.js";
import type { RememberedConsents } from "./remembered-consents.js";

/** The authorization endpoint (RFC 6749 section 3.1). */
export const authorizePath = "/connect/authorize";
/** The steps in a sign-in, by the interaction's ID. */
export const interactionPrefix = "/connect/interaction/";

const hourS = 3600;
const codeSeconds = 60;
const interactionSeconds = hourS / 2;
const sessionIdleSeconds = 12 * hourS;
const sessionAbsoluteSeconds = 7 * 24 * hourS;

interface AuthorizeOptions {
  issuer: string;
  /** Signs cookies. */
  cookieKeys: Keyring;
  consents: RememberedConsents;
}

type Settings = Pick<
  Configuration,
  | "acrValues"
  | "allowOmittingSingleRegisteredRedirectUri"
  | "claims"
  | "cookies"
  | "extraParams"
  | "interactions"
  | "loadExistingGrant"
  | "pkce"
  | "responseTypes"
>;

/** oidc-provider's settings for the authorization endpoint. */
export function authorizeSettings({ issuer, cookieKeys, consents }: AuthorizeOptions): Settings {
  const https = issuer.startsWith("https:");
  // Another host cannot set cookies with these prefixes, and neither can a request without TLS (RFC 6265bis section
  // 4.1.3). Only development runs without TLS; there, all programs on 127.0.0.1 share their cookies.
  const names = https
    ? { session: "__Host-session", interaction: "__Secure-interaction", resume: "__Secure-resume" }
    : { session: "factory-session", interaction: "factory-interaction", resume: "factory-resume" };
  const cookie = { httpOnly: true, sameSite: "lax", signed: true, secure: https } as const;
  return {
    responseTypes: ["code"],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    extraParams: ["tenant"],
    acrValues: [...authenticationLevels],
    claims: claimsByScope(),
    cookies: {
      keys: cookieKeys.all.map(({ bytes }) => bytes.toString("base64url")),
      names,
      short: cookie,
      long: cookie,
    },
    interactions: { url: (_context, { uid }) => `${issuer}${interactionPrefix}${uid}`, policy: loginPolicy() },
    loadExistingGrant: (context) => consents.grantFor(context),
  };
}

/** The claims in ID tokens. The facts about the sign-in come with `openid`. */
const claimsByScope = () => ({
  openid: ["sub", ...claimsOfScopes.openid, "auth_time", "acr", "amr"],
  profile: [...claimsOfScopes.profile],
  email: [...claimsOfScopes.email],
});

/** Lifetimes in seconds. A session ends 12 hours after its last use, and at most 7 days after the sign-in. */
export const authorizeLifetimes = {
  AuthorizationCode: codeSeconds,
  Interaction: interactionSeconds,
  IdToken: hourS,
  Session(_context: unknown, { loginTs }: { loginTs?: number | undefined }): number {
    if (loginTs === undefined) return sessionIdleSeconds;
    const remaining = loginTs + sessionAbsoluteSeconds - Math.floor(Date.now() / 1000);
    return Math.max(1, Math.min(sessionIdleSeconds, remaining));
  },
} as const;

/**
 * The user was disabled or has got a new password since the sign-in, or the tenant does not allow sessions this long.
 */
const hasEnded = ({ user, access }: SignedInAccount, session: { readonly loginTs?: number | undefined }) =>
  signInVersionOf(session) !== user.signInVersion ||
  (session.loginTs ?? 0) + access.sessionSeconds <= Date.now() / 1000;

/** A session from before levels were stored has none, and was made with a password. */
const levelOfSession = (acr: string | undefined) => acr ?? "urn:factory:acr:password";

/**
 * oidc-provider's default policy, and the user must be one whom the client serves, in the requested tenant, with a
 * sign-in at the level that the client or the tenant asks for.
 */
function loginPolicy(): interactionPolicy.DefaultPolicy {
  const prompts = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const wrongAccount = (context: KoaContextWithOIDC) => {
    const { oidc } = context;
    if (oidc.session?.accountId === undefined) return Check.NO_NEED_TO_PROMPT;
    const account = signedInAccountOf(context);
    if (!account || accountError(account.user, registeredClientOf(oidc.client))) return Check.REQUEST_PROMPT;
    if (hasEnded(account, oidc.session)) return Check.REQUEST_PROMPT;
    const { user } = account;
    const tenant = oidc.params?.["tenant"];
    const fits = tenant === undefined || tenant === user.tenantSlug || tenant === user.tenant.tenantId;
    const level = neededLevel(oidc.params?.["acr_values"], account.access.secondFactorRequired);
    const suffices = satisfiesLevel(levelOfSession(oidc.session.acr), level);
    // asked only once: a user who then signs in to another tenant, or with another factor, has chosen it
    return (fits && suffices) || oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
  };
  prompts
    .get("login")
    ?.checks.add(
      new Check(
        "account_unfit",
        "The client does not serve the signed-in user, or another tenant or a stronger sign-in was requested.",
        wrongAccount,
      ),
    );
  return prompts;
}
