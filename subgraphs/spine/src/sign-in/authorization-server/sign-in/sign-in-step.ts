import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { type PageAnswer, sendPage } from "../../../ground/pages/page.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { afterPassword } from "./factor-step.js";
import { cancelSignIn } from "./finish-sign-in.js";
import { formActionOrigins } from "./form-action-origins.js";
import { identificationForms, identifyingKindOf, submitIdentification } from "./identification-step.js";
import type { InteractionStep } from "./interaction-step.js";
import { type SignInProblem, signInPage } from "./sign-in.page.js";

interface Entered {
  username: string;
  tenant: string;
}

const maxHintLength = 254;

/** GET: asks for e-mail address and password. */
export async function showSignInForm(step: InteractionStep): Promise<void> {
  const { login_hint: username, tenant } = step.interaction.params;
  await show(step, { username: hint(username), tenant: hint(tenant) });
}

const hint = (value: unknown) => (typeof value === "string" && value.length <= maxHintLength ? value : "");

/** POST: checks the password, or the factor that replaces it, and goes on with the sign-in, or shows the form again. */
export async function submitSignIn(step: InteractionStep, form: URLSearchParams): Promise<void> {
  const { request, response, client, passwords } = step;
  if (form.get("action") === "cancel") return cancelSignIn(step);
  const identifying = identifyingKindOf(step, form);
  if (identifying) return submitIdentification(step, identifying, form).catch((error) => refuseIdentified(step, error));
  const entry = { username: (form.get("username") ?? "").trim(), tenant: (form.get("tenant") ?? "").trim() };
  const password = form.get("password") ?? "";
  const fields = {
    ...(entry.username === "" ? { username: "Enter your e-mail address" } : {}),
    ...(password === "" ? { password: "Enter your password" } : {}),
  };
  if (Object.keys(fields).length > 0)
    return show(step, entry, { text: "Something is missing", fields }, { status: 400 });
  const tenant = servesAllTenants(step) && entry.tenant !== "" ? entry.tenant : undefined;
  const address = clientNetworkOf(request);
  const cause = causeOf({ req: request, res: response }, client.clientId);
  try {
    const { username } = entry;
    await afterPassword(step, await passwords.signIn({ client, username, password, tenant, address, cause }));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    await refuse(step, entry, error);
  }
}

/** Nothing in the answer tells why. */
function refuseIdentified(step: InteractionStep, refusal: unknown): Promise<void> {
  if (!(refusal instanceof OAuthError)) throw refusal;
  const entry = { username: "", tenant: "" };
  if (refusal.code === "RATE_LIMITED") return refuse(step, entry, refusal);
  const advice = "Try again, or sign in with your e-mail address and password.";
  return show(step, entry, { text: "The passkey was not accepted", advice, fields: {} }, { status: 400 });
}

async function refuse(step: InteractionStep, entry: Entered, refusal: OAuthError): Promise<void> {
  const { retryAfterSeconds } = refusal.facts;
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const status = refusal.statusCode;
  if (refusal.code === "RATE_LIMITED") {
    const text = `Too many attempts. Try again in ${waitText(retryAfterSeconds ?? 1)}.`;
    return show(step, entry, { text, fields: {} }, { status, headers });
  }
  if (refusal.code === "UNAVAILABLE")
    return show(
      step,
      entry,
      { text: "Too many people are signing in at the same time. Try again in a second.", fields: {} },
      { status, headers },
    );
  const fields = { username: "Check the e-mail address", password: "Enter the password again" };
  const advice = servesAllTenants(step)
    ? "If you belong to several organizations, enter the short name of one of them."
    : undefined;
  const text = "The e-mail address or the password is wrong";
  await show(step, entry, { text, fields, ...(advice ? { advice } : {}) }, { status: 400 });
}

function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds < 60 ? "a moment" : minutes === 1 ? "a minute" : `${minutes} minutes`;
}

const servesAllTenants = ({ client }: InteractionStep) => client.firstParty && client.tenantId === platformTenantId;

async function show(
  step: InteractionStep,
  entry: Entered,
  problem?: SignInProblem,
  answer: PageAnswer = {},
): Promise<void> {
  const { response, client, csrfToken, interaction } = step;
  const page = signInPage({
    clientName: client.name,
    csrfToken,
    username: entry.username,
    tenant: servesAllTenants(step) ? entry.tenant : undefined,
    others: await identificationForms(step),
    ...(problem ? { problem } : {}),
  });
  sendPage(response, page, { ...answer, formActionOrigins: formActionOrigins(interaction) });
}
