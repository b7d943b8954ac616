import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { errorCodes } from "@factory/schema/error-codes";
import type { HttpRoute } from "../../ground/http-endpoints/http-route.js";
import { causeOf } from "../../ground/http-endpoints/request-cause.js";
import { errorPage } from "../../ground/pages/error.page.js";
import { sendPage } from "../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../ground/pages/read-form.js";
import { FailureLimiter } from "../../ground/request-limits/failure-limiter.js";
import { passwordLength } from "../users/password-hash.js";
import { type InvitationProblem, invitationPage, joinedPage } from "./invitation.page.js";
import type { InvitationAcceptance, OpenInvitation } from "./invitation-acceptance.service.js";

interface Options {
  readonly issuer: string;
  readonly acceptance: InvitationAcceptance;
  readonly logger: Logger;
}

const maxNameLength = 200;
/** Requests from one address in 15 minutes. */
const maxAttempts = 60;

/** The page behind an invitation's link, where the invited person chooses a password. */
export function invitationEndpoint({ issuer, acceptance, logger }: Options): HttpRoute {
  const attempts = new FailureLimiter(({ address }: { address: string }) => [{ key: address, limit: maxAttempts }]);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const caller = { address: clientNetworkOf(request) };
    const wait = attempts.blockedFor(caller);
    if (wait !== undefined) throw new DomainError("RATE_LIMITED", { retryAfterSeconds: wait });
    attempts.failed(caller);
    if (request.method === "GET") {
      const token = new URL(request.url ?? "", issuer).searchParams.get("token") ?? "";
      return show(response, token, await acceptance.look(token));
    }
    const form = isCrossSite(request, issuer) ? undefined : await readForm(request);
    if (!form) throw new DomainError("VALIDATION_FAILED");
    await accept({ req: request, res: response }, form, acceptance);
  };
  return {
    methods: ["GET", "POST"],
    handle(request, response) {
      answer(request, response).catch((error: unknown) => refuse(response, error, logger));
    },
  };
}

async function accept(
  exchange: { req: IncomingMessage; res: ServerResponse },
  form: URLSearchParams,
  acceptance: InvitationAcceptance,
): Promise<void> {
  const { res: response } = exchange;
  const field = (name: string) => form.get(name) ?? "";
  const [token, displayName, password] = [field("token"), field("displayName").trim(), field("password")];
  const open = await acceptance.look(token);
  const problem = problemOf(displayName, password, open.passwordMinLength);
  if (problem) return show(response, token, { ...open, displayName }, problem);
  try {
    await acceptance.accept(causeOf(exchange), {
      token,
      password,
      displayName: displayName === "" ? null : displayName,
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "PASSWORD_REFUSED") throw error;
    const text = "Choose a password that is not common and is not your e-mail address";
    return show(response, token, { ...open, displayName }, { field: "password", text });
  }
  sendPage(response, joinedPage(open.organisation, open.email));
}

function problemOf(displayName: string, password: string, min: number): InvitationProblem | undefined {
  const { max } = passwordLength;
  if (displayName.length > maxNameLength || !isStorable(displayName))
    return { field: "displayName", text: `Enter a name with at most ${maxNameLength} characters` };
  // code points, which are characters as people count them, as in the API
  const { length } = Array.from(password);
  if (length < min || length > max || !isStorable(password))
    return { field: "password", text: `Choose a password with ${min} to ${max} characters` };
  return undefined;
}

function show(response: ServerResponse, token: string, open: OpenInvitation, problem?: InvitationProblem): void {
  const { displayName } = open;
  const form = { ...open, token, displayName: displayName ?? "", ...(problem ? { problem } : {}) };
  sendPage(response, invitationPage(form), { status: problem ? 422 : 200 });
}

const texts: Readonly<Record<string, readonly [title: string, detail: string]>> = {
  NOT_FOUND: [
    "This link does not work",
    "The link is incomplete, or a newer invitation has replaced it. Use the link in the latest mail.",
  ],
  INVITATION_EXPIRED: ["This invitation has expired", "Ask the person who invited you to send the invitation again."],
  INVALID_STATE: ["This invitation is closed", "The invitation was already accepted, or it was revoked."],
  EMAIL_DOMAIN_REFUSED: [
    "This address is not accepted",
    "The organization accepts only addresses of its own domains. Ask the person who invited you.",
  ],
  USER_EXISTS: ["You have already joined", "Sign in with your e-mail address."],
  RATE_LIMITED: ["Too many attempts", "Wait a few minutes and try again."],
  UNAVAILABLE: ["That did not work", "Too many people are joining at the same time. Try again in a moment."],
  VALIDATION_FAILED: ["The form could not be read", "Open the link of the invitation again."],
};

function refuse(response: ServerResponse, error: unknown, logger: Logger): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const knownTexts = error instanceof DomainError ? texts[error.code] : undefined;
  if (!knownTexts) logger.error({ err: error, traceId: traceIdOf(response) }, "invitation page failed");
  const [title, detail] = knownTexts ?? ["That did not work", "Something went wrong on our side. Try again later."];
  const status = error instanceof DomainError && knownTexts ? (errorCodes[error.code].status ?? 500) : 500;
  const wait = error instanceof DomainError ? error.facts["retryAfterSeconds"] : undefined;
  const headers = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  sendPage(response, errorPage({ title, detail, traceId: traceIdOf(response) }), { status, headers });
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");
