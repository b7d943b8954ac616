import type { IncomingMessage, ServerResponse } from "node:http";
import { isTemporary } from "@factory/runtime/errors/unavailable";
import { errors } from "oidc-provider";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../../ground/pages/read-form.js";
import { setIssuerHeaders } from "../oauth-requests/issuer-headers.js";
import { interactionPrefix } from "./authorize-settings.js";
import { showConsentForm, submitConsent } from "./consent-step.js";
import { showFactorForm, submitFactor } from "./factor-step.js";
import type { InteractionOptions, InteractionStep } from "./interaction-step.js";
import { type Progress, progressOf } from "./progress.js";
import { showSignInForm, submitSignIn } from "./sign-in-step.js";

type Endpoint = (options: InteractionOptions, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Runs an endpoint that people use in a browser: every error is answered by a page. */
export function answerWithPages(endpoint: Endpoint, options: InteractionOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    setIssuerHeaders(request, options.issuer);
    endpoint(options, request, response).catch((error: unknown) => failed(options, response, error));
  };
}

/** One step in a sign-in (`/connect/interaction/{uid}`): GET shows the form, POST takes it. */
export async function handleInteraction(
  options: InteractionOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?", 1);
  const uid = path.slice(path.indexOf(interactionPrefix) + interactionPrefix.length);
  const provider = options.provider();
  const interaction = await provider.interactionDetails(request, response);
  // the cookie belongs to one interaction's address
  if (interaction.uid !== uid) throw new errors.SessionNotFound("The cookie belongs to another interaction.");
  const client = await options.findClient(String(interaction.params["client_id"]));
  if (!client) throw new errors.SessionNotFound("The client does not exist any longer.");
  const { name } = interaction.prompt;
  const terms = name === "consent" ? await options.consents.termsOf(client) : undefined;
  const progress = name === "consent" ? undefined : await progressOf(options, uid, client);
  // the CSRF token holds the terms, so that a consent to changed terms is refused, and the person for a second factor
  const purpose = [name, terms, progress?.userId].filter((part) => part !== undefined).join(" ");
  const csrfToken = options.csrfTokens.create(uid, purpose);
  const step = { ...options, provider, request, response, interaction, client, terms, csrfToken };
  const page = pageOf(name, progress);
  if (request.method !== "POST") return page.show(step);
  const form = isCrossSite(request, options.issuer) ? undefined : await readForm(request);
  if (!form || !options.csrfTokens.matches(form.get("formToken") ?? "", uid, purpose)) return refuseForm(response);
  response.setHeader("cache-control", "no-store");
  return page.submit(step, form);
}

interface StepPage {
  show(step: InteractionStep): Promise<void>;
  submit(step: InteractionStep, form: URLSearchParams): Promise<void>;
}

/** The current step's page: the consent, the password, or the second factor after it. */
function pageOf(prompt: string, progress: Progress | undefined): StepPage {
  if (prompt === "consent") return { show: showConsentForm, submit: submitConsent };
  if (!progress) return { show: showSignInForm, submit: submitSignIn };
  return {
    show: (step) => showFactorForm(step, progress),
    submit: (step, form) => submitFactor(step, progress, form),
  };
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");

function refuseForm(response: ServerResponse): void {
  const page = errorPage({
    title: "This form cannot be used",
    detail:
      "The form does not come from the page that we showed you, or that page is out of date. Go back to the application and start again.",
    traceId: traceIdOf(response),
  });
  sendPage(response, page, { status: 403 });
}

function failed({ logger }: InteractionOptions, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    logger.error({ err: error }, "sign-in failed");
    response.destroy();
    return;
  }
  const traceId = traceIdOf(response);
  if (error instanceof errors.SessionNotFound) {
    const detail =
      "The sign-in took too long, or your browser does not keep cookies. Go back to the application and start again.";
    sendPage(response, errorPage({ title: "This sign-in has ended", detail, traceId }), { status: 400 });
  } else if (isTemporary(error)) {
    const detail = "We cannot sign you in at the moment. Try again in a minute.";
    const page = errorPage({ title: "Not available right now", detail, traceId });
    sendPage(response, page, { status: 503, headers: { "retry-after": "1" } });
  } else {
    logger.error({ err: error }, "sign-in failed");
    const detail = "Something went wrong on our side. Go back to the application and start again.";
    sendPage(response, errorPage({ title: "That did not work", detail, traceId }), { status: 500 });
  }
}
