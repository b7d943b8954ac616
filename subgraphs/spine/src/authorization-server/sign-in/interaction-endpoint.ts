import type { IncomingMessage, ServerResponse } from "node:http";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { errors } from "oidc-provider";
import { errorPage } from "../../pages/error.page.js";
import { sendPage } from "../../pages/page.js";
import { isCrossSite, readForm } from "../../pages/read-form.js";
import { setIssuerHeaders } from "../oauth-requests/issuer-headers.js";
import { interactionPrefix } from "./authorize-settings.js";
import { showConsentForm, submitConsent } from "./consent-step.js";
import type { InteractionOptions } from "./interaction-step.js";
import { showSignInForm, signIn } from "./sign-in-step.js";

type Endpoint = (options: InteractionOptions, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Whatever goes wrong, a person reads it. */
export function answerWithPages(endpoint: Endpoint, options: InteractionOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    setIssuerHeaders(request, options.issuer);
    endpoint(options, request, response).catch((error: unknown) => failed(options, response, error));
  };
}

export async function interact(
  options: InteractionOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?", 1);
  const uid = path.slice(path.indexOf(interactionPrefix) + interactionPrefix.length);
  const provider = options.provider();
  const interaction = await provider.interactionDetails(request, response);
  // the cookie is of this very address; anything else was made up
  if (interaction.uid !== uid) throw new errors.SessionNotFound("interaction of another address");
  const client = await options.findClient(String(interaction.params["client_id"]));
  if (!client) throw new errors.SessionNotFound("the client is gone");
  const { name } = interaction.prompt;
  const terms = name === "consent" ? await options.consents.termsOf(client) : undefined;
  // a client that changes between the page and its answer is not what was agreed to
  const purpose = terms === undefined ? name : `${name} ${terms}`;
  const formToken = options.forms.of(uid, purpose);
  const step = { ...options, provider, request, response, interaction, client, terms, formToken };
  if (request.method !== "POST") return name === "consent" ? showConsentForm(step) : showSignInForm(step);
  const form = isCrossSite(request, options.issuer) ? undefined : await readForm(request);
  if (!form || !options.forms.matches(form.get("formToken") ?? "", uid, purpose)) return refuseForm(response);
  response.setHeader("cache-control", "no-store");
  return name === "consent" ? submitConsent(step, form) : signIn(step, form);
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");

function refuseForm(response: ServerResponse): void {
  const page = errorPage({
    title: "This form cannot be used",
    detail:
      "It did not come from the page that was shown to you, or that page is out of date. Go back to the application and start again.",
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
    const detail = "It took too long, or your browser keeps no cookies. Go back to the application and start again.";
    sendPage(response, errorPage({ title: "This sign-in has ended", detail, traceId }), { status: 400 });
  } else if (isDatabaseUnavailable(error)) {
    const detail = "We cannot sign you in at the moment. Try again in a minute.";
    const page = errorPage({ title: "Not available right now", detail, traceId });
    sendPage(response, page, { status: 503, headers: { "retry-after": "1" } });
  } else {
    logger.error({ err: error }, "sign-in failed");
    const detail = "Something went wrong on our side. Go back to the application and start again.";
    sendPage(response, errorPage({ title: "That did not work", detail, traceId }), { status: 500 });
  }
}
