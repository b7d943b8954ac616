import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isTemporary } from "@factory/runtime/errors/unavailable";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { HttpRoute } from "../../../ground/http-endpoints/http-route.js";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../../ground/pages/read-form.js";
import { unknownUnlockLinkPage, unlockedPage, unlockHelpPage, unlockPage } from "./unlock.page.js";
import type { UnlockByLink } from "./unlock-by-link.js";

interface Options {
  readonly issuer: string;
  readonly unlocking: UnlockByLink;
  readonly logger: Logger;
}

/** The page on which a link's holder unlocks the account's codes. */
export function unlockEndpoint({ issuer, unlocking, logger }: Options): HttpRoute {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET") {
      const token = new URL(request.url ?? "", issuer).searchParams.get("token");
      if (token === null) return sendPage(response, unlockHelpPage);
      return sendPage(response, unlockPage({ token, ...(await unlocking.look(token)) }));
    }
    const form = isCrossSite(request, issuer) ? undefined : await readForm(request);
    if (!form) throw new DomainError("VALIDATION_FAILED");
    await unlocking.unlock(causeOf({ req: request, res: response }), form.get("token") ?? "");
    sendPage(response, unlockedPage);
  };
  return {
    methods: ["GET", "POST"],
    limit: "pages",
    handle(request, response) {
      answer(request, response).catch((error: unknown) => refuse(response, error, logger));
    },
  };
}

function refuse(response: ServerResponse, error: unknown, logger: Logger): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = error instanceof DomainError ? error.code : undefined;
  if (code === "NOT_FOUND") return sendPage(response, unknownUnlockLinkPage, { status: 404 });
  const traceId = String(response.getHeader("x-trace-id") ?? "");
  if (code === "VALIDATION_FAILED") {
    const detail = "Open the link in the mail again.";
    return sendPage(response, errorPage({ title: "The form could not be read", detail, traceId }), { status: 400 });
  }
  if (isTemporary(error)) {
    const page = errorPage({ title: "Not available right now", detail: "Try again in a minute.", traceId });
    return sendPage(response, page, { status: 503, headers: { "retry-after": "1" } });
  }
  logger.error({ err: error, traceId }, "the page that unlocks second factors failed");
  const detail = "Something went wrong on our side. Try again later.";
  sendPage(response, errorPage({ title: "That did not work", detail, traceId }), { status: 500 });
}
