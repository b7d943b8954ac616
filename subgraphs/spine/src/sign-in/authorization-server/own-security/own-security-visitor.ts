import type { IncomingMessage, ServerResponse } from "node:http";
import { levelOfMethods, methodsOfEnrolment, satisfiesLevel } from "@factory/schema/authentication-levels";
import type { Provider } from "oidc-provider";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import type { FactorPerson } from "../../second-factors/kinds/factor-kind.js";
import { signInVersionOf } from "../accounts/stored-versions.js";
import { accountError, type UserAccount } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import type { InteractionOptions } from "../sign-in/interaction-step.js";
import { recentSignInSeconds } from "./own-security-client.js";

type Session = Awaited<ReturnType<Provider["Session"]["get"]>>;

/** A person whose browser has a session from a recent sign-in. */
export interface Visitor {
  readonly session: Session;
  readonly user: UserAccount;
  readonly person: FactorPerson;
}

/** Why a browser may not use the page yet; `acrValues`: the level that the sign-in has to reach. */
interface SignInNeeded {
  readonly acrValues: string | undefined;
}

export const isVisitor = (result: Visitor | SignInNeeded): result is Visitor => "session" in result;

/**
 * The person signed in to the session in this browser. The sign-in must be recent, so that nobody who finds an open
 * browser changes anything, and with two factors if the person has a second one.
 */
export async function visitorOf(
  { provider, accounts, factors }: InteractionOptions,
  client: RegisteredClient,
  exchange: { readonly req: IncomingMessage; readonly res: ServerResponse },
): Promise<Visitor | SignInNeeded> {
  const current = provider();
  const session = await current.Session.get(current.createContext(exchange.req, exchange.res));
  const { accountId, loginTs = 0, acr } = session;
  const user = accountId === undefined ? undefined : await accounts.byId(accountId);
  if (!user || accountError(user, client)) return { acrValues: undefined };
  const { tenant, userId, email, displayName } = user;
  const neededLevel = (await factors.isNeeded(tenant, userId)) ? "urn:factory:acr:second-factor" : undefined;
  const isRecent = loginTs + recentSignInSeconds > Date.now() / 1000;
  const isRevoked = signInVersionOf(session) !== user.signInVersion;
  if (!isRecent || isRevoked || (neededLevel !== undefined && !satisfiesLevel(acr, neededLevel)))
    return { acrValues: neededLevel };
  const { clientId } = client;
  const person = { tenant, userId, email, displayName, clientId, cause: causeOf(exchange, userId) };
  return { session, user, person };
}

/**
 * A factor was added: the session reaches the second-factor level, so that the person need not sign in again. A level
 * above it takes a sign-in with the new factor.
 */
export async function raiseSession({ session }: Visitor, addedKinds: readonly string[]): Promise<void> {
  const methods = [...new Set([...(session.amr ?? ["pwd"]), ...methodsOfEnrolment(addedKinds), "mfa"])];
  session.amr = methods;
  session.acr = levelOfMethods(methods);
  await session.persist();
}
