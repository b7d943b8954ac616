import type { IncomingMessage, ServerResponse } from "node:http";
import { decodeJwt } from "jose";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../../ground/pages/read-form.js";
import { redirectUriAllowed } from "../../../oauth-clients/redirect-uri.js";
import type { InteractionOptions } from "./interaction-step.js";
import { signedOutPage, signOutPage } from "./sign-out.page.js";

/** The end session endpoint. */
export const signOutPath = "/connect/logout";
const step = "sign-out";

/**
 * OpenID Connect RP-Initiated Logout 1.0: ends this browser's session after the user has confirmed it. Tokens stay
 * valid.
 */
export async function signOut(
  options: InteractionOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { issuer, csrfTokens, accounts } = options;
  const provider = options.provider();
  const context = provider.createContext(request, response);
  const target = await returnAddress(options, new URL(request.url ?? "", issuer).searchParams);
  if (target === null) {
    const detail = "The address that the application wants to return to is not registered for it. Tell its operator.";
    const traceId = String(response.getHeader("x-trace-id") ?? "");
    return sendPage(response, errorPage({ title: "This sign-out cannot go on", detail, traceId }), { status: 400 });
  }
  const session = await provider.Session.get(context);
  const user = session.accountId === undefined ? undefined : await accounts.byId(session.accountId);
  if (user && request.method !== "POST") {
    const page = signOutPage({ email: user.email, csrfToken: csrfTokens.create(session.uid, step) });
    return sendPage(response, page, target === undefined ? {} : { formActionOrigins: [new URL(target).origin] });
  }
  if (user) {
    const form = isCrossSite(request, issuer) ? undefined : await readForm(request);
    if (!form || !csrfTokens.matches(form.get("formToken") ?? "", session.uid, step)) {
      const detail = "The form does not come from the page that we showed you. Open the page for signing out again.";
      const traceId = String(response.getHeader("x-trace-id") ?? "");
      return sendPage(response, errorPage({ title: "This form cannot be used", detail, traceId }), { status: 403 });
    }
    await session.destroy();
    context.cookies.set(provider.cookieName("session"), null, { path: "/", httpOnly: true, sameSite: "lax" });
  }
  if (target === undefined) return sendPage(response, signedOutPage);
  response.writeHead(303, { location: target, "cache-control": "no-store" }).end();
}

/** Where the browser returns to. Undefined: the request names no address; null: the client has not registered the address. */
async function returnAddress(
  { findClient }: InteractionOptions,
  parameters: URLSearchParams,
): Promise<string | undefined | null> {
  const redirectUri = parameters.get("post_logout_redirect_uri");
  // RFC 6749 section 3.1: a parameter without a value counts as left out
  if (redirectUri === null || redirectUri === "") return undefined;
  const clientId = parameters.get("client_id") ?? audienceOf(parameters.get("id_token_hint"));
  const client = clientId === undefined ? undefined : await findClient(clientId);
  if (!client || !redirectUriAllowed(redirectUri, client.redirectUris)) return null;
  const target = new URL(redirectUri);
  const state = parameters.get("state");
  if (state !== null) target.searchParams.set("state", state);
  return target.href;
}

/** The client that an ID token was made for. Not verified: it only selects the addresses that the client has registered. */
function audienceOf(idToken: string | null): string | undefined {
  try {
    const { aud } = decodeJwt(idToken ?? "");
    return typeof aud === "string" ? aud : undefined;
  } catch {
    return undefined;
  }
}
