import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { outageRefusal } from "@factory/runtime/errors/unavailable";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { readBody } from "@factory/runtime/ingress/read-body";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { askPage, pageHeaders, textHeaders } from "./ask-page.js";
import type { AuthorizationFlow } from "./authorization-flow.js";
import { startPath } from "./authorization-links.js";
import { browserCookie, readBrowserCookie } from "./browser-cookie.js";
import { digestOf, hasDigest } from "./digest.js";
import { PersonRefusal } from "./person-refusal.js";
import { callbackPath } from "./redirect-uris.js";

/** Serves the pages on which people authorize a connection: `/integrations/oauth/*`. */
export type AuthorizationPages = (request: IncomingMessage, response: ServerResponse) => void;

const ticketForm = /^[\w-]{43}$/;
const providerForm = /^\w{1,64}$/;
const maxParameterLength = 4096;

/** The handler for the pages. `secure` says that people reach the platform by https. */
export function authorizationPages(flow: AuthorizationFlow, secure: boolean, logger: Logger): AuthorizationPages {
  const pages = new Pages(flow, secure);
  return (request, response) => {
    pages.answer(request, response).catch((error: unknown) => refuse(response, error, logger));
  };
}

/** The address to which a vendor has sent the browser. */
interface Callback {
  readonly providerId: string;
  readonly parameters: URLSearchParams;
}

class Pages {
  readonly #flow: AuthorizationFlow;
  readonly #secure: boolean;

  constructor(flow: AuthorizationFlow, secure: boolean) {
    this.#flow = flow;
    this.#secure = secure;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://facade");
    const isRead = request.method === "GET" || request.method === "HEAD";
    const ticket = pathname.startsWith(startPath) ? pathname.slice(startPath.length) : "";
    if (ticketForm.test(ticket)) {
      if (isRead) return this.#ask(ticket, response);
      if (request.method === "POST") return this.#begin(ticket, request, response);
      return sendText(response, 405, "Only GET and POST are allowed here.", { allow: "GET, HEAD, POST" });
    }
    const providerId = pathname.startsWith(callbackPath) ? pathname.slice(callbackPath.length) : "";
    if (!providerForm.test(providerId)) return sendText(response, 404, "This page does not exist.");
    if (request.method !== "GET") return sendText(response, 405, "Only GET is allowed here.", { allow: "GET" });
    return this.#complete({ providerId, parameters: searchParams }, request, response);
  }

  async #ask(ticket: string, response: ServerResponse): Promise<void> {
    const page = await this.#flow.ask(ticket);
    const browser = randomBytes(32).toString("base64url");
    response.setHeader("set-cookie", browserCookie(page.link, browser, this.#secure));
    response.writeHead(200, pageHeaders(page.vendor.origin));
    response.end(askPage(page, digestOf(browser)));
  }

  /**
   * The form on the page before. A foreign page cannot send it: its request has no cookie (SameSite=Lax), and it does
   * not know the cookie's digest.
   */
  async #begin(ticket: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const site = request.headers["sec-fetch-site"];
    const browser =
      site === undefined || site === "same-origin"
        ? readBrowserCookie(request, digestOf(ticket), this.#secure)
        : undefined;
    const confirmation = await readConfirmation(request);
    if (browser === undefined || confirmation === undefined || !hasDigest(browser, confirmation))
      throw new PersonRefusal(403, "Open the link again, and continue on its page. Cookies must be allowed.");
    const vendor = await this.#flow.begin(ticket, browser, causeOf(request, response));
    response.writeHead(303, { ...textHeaders, location: vendor.href }).end("Continue at the vendor.");
  }

  async #complete({ providerId, parameters }: Callback, request: IncomingMessage, response: ServerResponse) {
    const [state, code, error, issuer] = ["state", "code", "error", "iss"].map((name) => only(parameters, name));
    if (state === undefined || !ticketForm.test(state))
      throw new PersonRefusal(400, "The address has no state of this platform. Begin with the link again.");
    const link = await this.#flow.linkOf(state);
    const browser = readBrowserCookie(request, link, this.#secure);
    const answer = { providerId, state, code, error, issuer };
    const displayName = await this.#flow.complete(answer, browser, causeOf(request, response));
    const cookie = browserCookie(link, "", this.#secure);
    const text = `The connection "${displayName}" is authorized, and is verified now. You may close this page.`;
    sendText(response, 200, text, { "set-cookie": cookie });
  }
}

/** A parameter's only value. A parameter that is repeated or too long is refused (RFC 6749, section 3.1). */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1 || (values[0] ?? "").length > maxParameterLength)
    throw new PersonRefusal(400, "The address repeats a parameter, or one is too long. Begin with the link again.");
  return values[0];
}

function causeOf(request: IncomingMessage, response: ServerResponse): Cause {
  const traceparent = request.headers["traceparent"];
  const trace = continueTrace(typeof traceparent === "string" ? traceparent : undefined);
  const traceId = response.getHeader("x-trace-id");
  const origin = originOfRequest(request);
  return { trace: typeof traceId === "string" ? { ...trace, traceId } : trace, origin };
}

function refuse(response: ServerResponse, error: unknown, logger: Logger): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof PersonRefusal) {
    sendText(response, error.status, error.message);
    return;
  }
  const refusal = error instanceof DomainError ? error : outageRefusal(error);
  if (refusal?.code === "UNAVAILABLE" || refusal?.code === "SECRET_STORE_UNAVAILABLE")
    sendText(response, 503, "The platform cannot answer now. Try again in a moment.", { "retry-after": "5" });
  else if (refusal) sendText(response, 409, `The connection cannot be authorized now (${refusal.code}).`);
  else {
    logger.error({ err: error }, "an authorization of a connection failed");
    sendText(response, 500, "An internal error occurred. Ask for a new link.");
  }
}

function sendText(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...textHeaders, ...headers }).end(`${text}\n`);
}

const maxBytes = 1024;

/** The form's field `formToken`; undefined for another content type, a longer body, or without it. */
async function readConfirmation(request: IncomingMessage): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) return undefined;
  const body = await readBody(request, maxBytes);
  if (!body) return undefined;
  const values = new URLSearchParams(body.toString("utf8")).getAll("formToken");
  return values.length === 1 ? values[0] : undefined;
}
