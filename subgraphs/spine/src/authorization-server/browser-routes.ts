import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Provider } from "oidc-provider";
import { authorizePath, interactionPrefix } from "./authorize-settings.js";
import { type InteractionOptions, interactionEndpoint } from "./interaction-endpoint.js";
import { errorPage } from "./pages/error.page.js";
import { sendPage } from "./pages/page.js";

export interface BrowserRoute {
  readonly methods: readonly string[];
  handle(request: IncomingMessage, response: ServerResponse): void;
}

const uidForm = /^[\w-]{10,100}$/;

/** What people see: the authorization endpoint and the pages between its request and its answer. */
export function browserRoutes(options: InteractionOptions): (path: string) => BrowserRoute | undefined {
  const { provider, issuer, logger } = options;
  const authorize = { methods: ["GET"], handle: authorizationEndpoint(provider, issuer, logger) };
  const interaction = interactionEndpoint(options);
  const interact = {
    methods: ["GET", "POST"],
    handle(request: IncomingMessage, response: ServerResponse) {
      asIssuer(request, issuer);
      interaction(request, response);
    },
  };
  const below = (path: string, prefix: string) => path.startsWith(prefix) && uidForm.test(path.slice(prefix.length));
  return (path) => {
    if (path === authorizePath || below(path, `${authorizePath}/`)) return authorize;
    return below(path, interactionPrefix) ? interact : undefined;
  };
}

function authorizationEndpoint(provider: () => Provider, issuer: string, logger: Logger): BrowserRoute["handle"] {
  return (request, response) => {
    const { search, searchParams } = new URL(request.url ?? "", issuer);
    // oidc-provider's other modes answer with a page of its own that runs a script, or put the code into a fragment
    if (searchParams.getAll("response_mode").some((mode) => mode !== "query")) {
      const detail = "The application asked for an answer in a way that is not served here.";
      const page = errorPage({ title: "This sign-in cannot go on", detail, traceId: traceIdOf(response) });
      return sendPage(response, page, { status: 400 });
    }
    asIssuer(request, issuer);
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

/** oidc-provider makes addresses and cookies from what these headers say; the issuer alone decides. */
export function asIssuer({ headers }: IncomingMessage, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  headers["host"] = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-for"];
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");
