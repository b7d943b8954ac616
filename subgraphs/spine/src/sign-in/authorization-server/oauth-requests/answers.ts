import type { ServerResponse } from "node:http";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import type { AddressLimit } from "../../../ground/request-limits/address-rate-limiter.js";

/** Answers 429: a page to a browser, an OAuth error to a client. */
export function refuse(response: ServerResponse, kind: AddressLimit | undefined, retryAfterSeconds: number): void {
  response.setHeader("retry-after", String(retryAfterSeconds));
  const description = "Too many requests come from this address. Repeat the request after the time in Retry-After.";
  if (kind !== "pages") return oauthError(response, "RATE_LIMITED", description);
  const traceId = String(response.getHeader("x-trace-id"));
  const page = errorPage({ title: "Too many attempts", detail: "Wait a minute and try again.", traceId });
  sendPage(response, page, { status: 429 });
}

/** The router's OAuth error (RFC 6749 section 5.2), before oidc-provider has seen the request. */
export function oauthError(response: ServerResponse, code: ErrorCode, description: string): void {
  const error = code === "RATE_LIMITED" ? "rate_limited" : "invalid_request";
  const body = { error, error_description: description };
  send(response, code, "application/json", { ...body, code, traceId: response.getHeader("x-trace-id") });
}

/** A problem document (RFC 9457). */
export function problem(response: ServerResponse, code: ErrorCode, detail: string): void {
  const { status, title } = errorCodes[code];
  const type = `/problems/${code.toLowerCase().replaceAll("_", "-")}`;
  const body = { type, title, status, detail, code, traceId: response.getHeader("x-trace-id") };
  send(response, code, "application/problem+json", body);
}

function send(response: ServerResponse, code: ErrorCode, contentType: string, body: unknown): void {
  response.writeHead(errorCodes[code].status ?? 500, { "content-type": contentType, "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
