import type { Grant, Provider } from "oidc-provider";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { currentContext } from "../oauth-requests/current-context.js";
import type { UserAccount } from "./user-accounts.js";

/**
 * The user and client versions under which a grant was made. Its codes and refresh tokens end when a version is raised.
 */
interface GrantVersions {
  readonly signIn: number;
  readonly client: number;
}

/** The members in which the provider stores the versions. Without them, from an earlier release, the first ones count. */
export const versionsOfGrant = "versions";
export const versionOfSession = "signInVersion";

export const setGrantVersions = (grant: Grant, signIn: number, { versions }: RegisteredClient): void => {
  const grantVersions: GrantVersions = { signIn, client: versions.client };
  Reflect.set(grant, versionsOfGrant, grantVersions);
};

/** Whether neither the user's sign-in nor the client has another version than when the grant was made. */
export function isOfVersions(
  grant: Grant | undefined,
  { signInVersion }: Pick<UserAccount, "signInVersion">,
  { versions }: RegisteredClient,
): boolean {
  const grantVersions = grant && (Reflect.get(grant, versionsOfGrant) as GrantVersions | undefined);
  return (grantVersions?.signIn ?? 0) === signInVersion && (grantVersions?.client ?? 0) === versions.client;
}

/** The user's sign-in version in which this session has signed in. */
export const signInVersionOf = (session: object | undefined): number =>
  Number((session && Reflect.get(session, versionOfSession)) ?? 0);

export const setSignInVersion = (session: object, version: number): void => {
  Reflect.set(session, versionOfSession, version);
};

/** Makes a sign-in's result set the session's version together with its user and time. */
export function keepSignInVersions({ Session }: Provider): void {
  // the types do not have this method from oidc-provider 9.13
  const prototype = Session.prototype as object as { loginAccount?: (details: object) => void };
  const { loginAccount } = prototype;
  if (!loginAccount) throw new Error("oidc-provider signs people in to sessions in another way");
  prototype.loginAccount = function (this: object, details: object) {
    loginAccount.call(this, details);
    const { login } = currentContext().oidc.entities.Interaction?.result ?? {};
    setSignInVersion(this, Number(login?.[versionOfSession] ?? 0));
  };
}
