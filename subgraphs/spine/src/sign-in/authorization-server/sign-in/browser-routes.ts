import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Provider } from "oidc-provider";
import type { HttpRoute } from "../../../ground/http-endpoints/http-route.js";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { readForm } from "../../../ground/pages/read-form.js";
import { setIssuerHeaders } from "../oauth-requests/issuer-headers.js";
import { authorizePath, interactionPrefix } from "./authorize-settings.js";
import { answerWithPages, handleInteraction } from "./interaction-endpoint.js";
import type { InteractionOptions } from "./interaction-step.js";
import { signOut, signOutPath } from "./sign-out.js";

/** The front door refuses longer addresses. */
const maxAddressLength = 8192;
const uidPattern = /^[\w-]{10,100}$/;

/** Routes for browsers: the authorization endpoint, the sign-in pages, and sign-out. Undefined for other paths. */
export function browserRoutes(options: InteractionOptions): (path: string) => HttpRoute | undefined {
  const { provider, issuer, logger } = options;
  const resume = { methods: ["GET"], handle: authorizationEndpoint(provider, issuer, logger) };
  const authorize = {
    methods: ["GET", "POST"],
    handle: (request: IncomingMessage, response: ServerResponse) =>
      request.method === "POST"
        ? answerWithPages(redirectToGet, options)(request, response)
        : resume.handle(request, response),
  };
  const interaction = { methods: ["GET", "POST"], handle: answerWithPages(handleInteraction, options) };
  const logout = { methods: ["GET", "POST"], handle: answerWithPages(signOut, options) };
  const below = (path: string, prefix: string) => path.startsWith(prefix) && uidPattern.test(path.slice(prefix.length));
  const routeOf = (path: string): HttpRoute | undefined => {
    if (path === authorizePath) return authorize;
    if (below(path, `${authorizePath}/`)) return resume;
    if (path === signOutPath) return logout;
    return below(path, interactionPrefix) ? interaction : undefined;
  };
  return (path) => {
    const route = routeOf(path);
    return route && { ...route, limit: "pages" };
  };
}

/**
 * Redirects an authorization request by POST (OpenID Connect Core 1.0 section 3.1.2.1) to the same request by GET.
 * Browsers do not send the session's cookies with a form from another site, but they send them with the redirect.
 */
async function redirectToGet(
  { issuer }: InteractionOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const location = `${issuer}${authorizePath}?${form?.toString() ?? ""}`;
  if (form && location.length <= maxAddressLength) {
    response.writeHead(303, { location, "cache-control": "no-store" }).end();
    return;
  }
  const detail = "The application sent a body that is not a form, or a form that is too long. Tell its operator.";
  const page = errorPage({ title: "This sign-in cannot go on", detail, traceId: traceIdOf(response) });
  sendPage(response, page, { status: 400 });
}

function authorizationEndpoint(provider: () => Provider, issuer: string, logger: Logger): HttpRoute["handle"] {
  return (request, response) => {
    const { search, searchParams } = new URL(request.url ?? "", issuer);
    // other oidc-provider response modes answer with a page that runs a script, or put the code into the fragment
    if (searchParams.getAll("response_mode").some((mode) => mode !== "query")) {
      const detail =
        "The application asked for a response mode that is not supported. It must use the response mode query.";
      const page = errorPage({ title: "This sign-in cannot go on", detail, traceId: traceIdOf(response) });
      return sendPage(response, page, { status: 400 });
    }
    setIssuerHeaders(request, issuer);
    const path = (request.url ?? "").split("?", 1)[0]?.replace(/^\/v1\//, "/");
    request.url = `${path}${search}`;
    provider()
      .callback()(request, response)
      .catch((error: unknown) => {
        logger.error({ err: error }, "authorization request failed");
        if (response.headersSent) response.destroy();
        else {
          const detail = "Something went wrong on our side. Go back to the application and start again.";
          const page = errorPage({ title: "That did not work", detail, traceId: traceIdOf(response) });
          sendPage(response, page, { status: 500 });
        }
      });
  };
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");
