import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { errorCodes } from "@factory/schema/error-codes";
import type { HttpRoute } from "../../../ground/http-endpoints/http-route.js";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../../ground/pages/read-form.js";
import { FailureLimiter } from "../../../ground/request-limits/failure-limiter.js";
import { passwordLength } from "../../users/password-hash.js";
import type { OpenReset, PasswordResets } from "./password-resets.js";
import { newPasswordPage, requestedPage, requestResetPage, resetDonePage, unknownResetLinkPage } from "./reset.page.js";

interface Options {
  readonly issuer: string;
  readonly resets: PasswordResets;
  readonly logger: Logger;
  readonly rateLimitFactor?: number | undefined;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Requests from one address in 15 minutes. */
const maxAttempts = 30;

/** The pages that mail a link, and on which a link's holder chooses a new password. */
export function resetEndpoint({ issuer, resets, logger, rateLimitFactor = 1 }: Options): HttpRoute {
  const limit = maxAttempts * rateLimitFactor;
  const attempts = new FailureLimiter(({ address }: { address: string }) => [{ key: address, limit }]);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const caller = { address: clientNetworkOf(request) };
    const wait = attempts.blockedFor(caller);
    if (wait !== undefined) throw new DomainError("RATE_LIMITED", { retryAfterSeconds: wait });
    attempts.failed(caller);
    const exchange = { req: request, res: response };
    if (request.method === "GET") {
      const token = new URL(request.url ?? "", issuer).searchParams.get("token");
      if (token === null) return sendPage(response, requestResetPage());
      return sendPage(response, newPasswordPage({ token, ...(await resets.look(token)) }));
    }
    const form = isCrossSite(request, issuer) ? undefined : await readForm(request);
    if (!form) throw new DomainError("VALIDATION_FAILED");
    const token = form.get("token");
    await (token === null ? requestLink(exchange, form, resets) : complete(exchange, { form, token }, resets));
  };
  return {
    methods: ["GET", "POST"],
    handle(request, response) {
      answer(request, response).catch((error: unknown) => refuse(response, error, logger));
    },
  };
}

async function requestLink(exchange: Exchange, form: URLSearchParams, resets: PasswordResets): Promise<void> {
  const email = (form.get("email") ?? "").trim();
  const tenant = (form.get("tenant") ?? "").trim();
  if (email === "") return sendPage(exchange.res, requestResetPage("Enter your e-mail address"), { status: 400 });
  await resets.request(causeOf(exchange), { email, tenant: tenant === "" ? undefined : tenant });
  sendPage(exchange.res, requestedPage);
}

async function complete(
  exchange: Exchange,
  { form, token }: { form: URLSearchParams; token: string },
  resets: PasswordResets,
): Promise<void> {
  const open = await resets.look(token);
  const password = form.get("password") ?? "";
  const again = (problem: string) =>
    sendPage(exchange.res, newPasswordPage({ token, ...open, problem }), { status: 422 });
  const problem = problemOf(password, open);
  if (problem !== undefined) return again(problem);
  try {
    await resets.complete(causeOf(exchange), { token, password });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "PASSWORD_REFUSED") throw error;
    return again("Choose a password that is not common and is not your e-mail address");
  }
  sendPage(exchange.res, resetDonePage);
}

function problemOf(password: string, { passwordMinLength: min }: OpenReset): string | undefined {
  const { max } = passwordLength;
  // code points, which are characters as people count them, as in the API
  const { length } = Array.from(password);
  return length < min || length > max || !isStorable(password)
    ? `Choose a password with ${min} to ${max} characters`
    : undefined;
}

const texts: Readonly<Record<string, readonly [title: string, detail: string]>> = {
  RATE_LIMITED: ["Too many attempts", "Wait a few minutes and try again."],
  UNAVAILABLE: ["That did not work", "Too many people are changing passwords. Try again in a moment."],
  VALIDATION_FAILED: ["The form could not be read", "Open the page again."],
};

function refuse(response: ServerResponse, error: unknown, logger: Logger): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof DomainError && error.code === "NOT_FOUND")
    return sendPage(response, unknownResetLinkPage, { status: 404 });
  const traceId = String(response.getHeader("x-trace-id") ?? "");
  const knownTexts = error instanceof DomainError ? texts[error.code] : undefined;
  if (!knownTexts) logger.error({ err: error, traceId }, "password reset page failed");
  const [title, detail] = knownTexts ?? ["That did not work", "Something went wrong on our side. Try again later."];
  const status = error instanceof DomainError && knownTexts ? (errorCodes[error.code].status ?? 500) : 500;
  const wait = error instanceof DomainError ? error.facts["retryAfterSeconds"] : undefined;
  const headers = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  sendPage(response, errorPage({ title, detail, traceId }), { status, headers });
}
