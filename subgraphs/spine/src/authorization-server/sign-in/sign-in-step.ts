import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { causeOf } from "../../http-endpoints/request-cause.js";
import { type PageAnswer, sendPage } from "../../pages/page.js";
import type { UserAccount } from "../accounts/user-accounts.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { formActionOrigins } from "./form-action-origins.js";
import type { InteractionStep } from "./interaction-step.js";
import { type SignInProblem, signInPage } from "./sign-in.page.js";

interface Entered {
  username: string;
  tenant: string;
}

const longestHint = 254;

export async function showSignInForm(step: InteractionStep): Promise<void> {
  const { login_hint: username, tenant } = step.interaction.params;
  show(step, { username: hint(username), tenant: hint(tenant) });
}

const hint = (value: unknown) => (typeof value === "string" && value.length <= longestHint ? value : "");

export async function signIn(step: InteractionStep, form: URLSearchParams): Promise<void> {
  const { provider, request, response, client, passwords } = step;
  if (form.get("action") === "cancel") {
    const result = { error: "access_denied", error_description: "The sign-in was cancelled." };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const entered = { username: (form.get("username") ?? "").trim(), tenant: (form.get("tenant") ?? "").trim() };
  const password = form.get("password") ?? "";
  const fields = {
    ...(entered.username === "" ? { username: "Enter your e-mail address" } : {}),
    ...(password === "" ? { password: "Enter your password" } : {}),
  };
  if (Object.keys(fields).length > 0)
    return show(step, entered, { text: "Something is missing", fields }, { status: 400 });
  const tenant = servesEverybody(step) && entered.tenant !== "" ? entered.tenant : undefined;
  const address = clientNetworkOf(request);
  const cause = causeOf({ req: request, res: response }, client.clientId);
  let user: UserAccount;
  try {
    user = await passwords.signIn({ client, username: entered.username, password, tenant, address, cause });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return refuse(step, entered, error);
  }
  await endOtherSession(step, user.userId);
  // without `ts` oidc-provider takes the time of a later consent for that of the sign-in
  const result = { login: { accountId: user.userId, amr: ["pwd"], ts: Math.floor(Date.now() / 1000) } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** oidc-provider would ask whoever was signed in before to sign out first, on a page that needs a script. */
async function endOtherSession(
  { provider, interaction, request, response }: InteractionStep,
  userId: string,
): Promise<void> {
  const { accountId, uid } = interaction.session ?? {};
  if (accountId === undefined || accountId === userId) return;
  // by its cookie: the store knows no session's id
  const session = await provider.Session.get(provider.createContext(request, response));
  if (session.uid === uid) await session.destroy();
  delete interaction.session;
  await interaction.persist();
}

function refuse(step: InteractionStep, entered: Entered, refusal: OAuthError): void {
  const { retryAfterSeconds } = refusal.facts;
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const status = refusal.statusCode;
  if (refusal.code === "RATE_LIMITED") {
    const text = `Too many attempts. Try again in ${inWords(retryAfterSeconds ?? 1)}.`;
    return show(step, entered, { text, fields: {} }, { status, headers });
  }
  if (refusal.code === "UNAVAILABLE")
    return show(step, entered, { text: "Many people are signing in. Try again.", fields: {} }, { status, headers });
  const fields = { username: "Check the e-mail address", password: "Enter the password again" };
  const advice = servesEverybody(step) ? "If you belong to several organisations, name the one you mean." : undefined;
  const text = "The e-mail address or the password is not right";
  show(step, entered, { text, fields, ...(advice ? { advice } : {}) }, { status: 400 });
}

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds < 60 ? "a moment" : minutes === 1 ? "a minute" : `${minutes} minutes`;
}

const servesEverybody = ({ client }: InteractionStep) => client.firstParty && client.tenantId === platformTenantId;

function show(step: InteractionStep, entered: Entered, problem?: SignInProblem, answer: PageAnswer = {}): void {
  const { response, client, formToken, interaction } = step;
  const page = signInPage({
    clientName: client.name,
    formToken,
    username: entered.username,
    tenant: servesEverybody(step) ? entered.tenant : undefined,
    ...(problem ? { problem } : {}),
  });
  sendPage(response, page, { ...answer, formActionOrigins: formActionOrigins(interaction) });
}
