import { levelOfMethods } from "@factory/schema/authentication-levels";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { versionOfSession } from "../accounts/stored-versions.js";
import type { UserAccount } from "../accounts/user-accounts.js";
import type { InteractionStep } from "./interaction-step.js";

/**
 * Everything is proven: records the sign-in and goes on with the authorization request. `methods`: RFC 8176. Throws an
 * `OAuthError` if a password change has come before it.
 */
export async function finishSignIn(
  step: InteractionStep,
  user: UserAccount,
  methods: readonly string[],
): Promise<void> {
  const { provider, request, response, client, records } = step;
  const { clientId } = client;
  // without `ts` oidc-provider takes a later consent's time as the sign-in's time
  const ts = Math.floor(Date.now() / 1000);
  await records.succeeded(user, { clientId, cause: causeOf({ req: request, res: response }, clientId) });
  await endOtherSession(step, user.userId);
  const facts = { amr: [...methods], acr: levelOfMethods(methods), ts, [versionOfSession]: user.signInVersion };
  const result = { login: { accountId: user.userId, ...facts } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** The user does not want to sign in. */
export async function cancelSignIn({ provider, request, response }: InteractionStep): Promise<void> {
  const result = { error: "access_denied", error_description: "The user canceled the sign-in." };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** Ends another user's session in this browser. oidc-provider would ask for a sign-out on a page with a script. */
async function endOtherSession(
  { provider, interaction, request, response }: InteractionStep,
  userId: string,
): Promise<void> {
  const { accountId, uid } = interaction.session ?? {};
  if (accountId === undefined || accountId === userId) return;
  // found by its cookie, since only digests for session IDs are stored
  const session = await provider.Session.get(provider.createContext(request, response));
  if (session.uid === uid) await session.destroy();
  delete interaction.session;
  await interaction.persist();
}
