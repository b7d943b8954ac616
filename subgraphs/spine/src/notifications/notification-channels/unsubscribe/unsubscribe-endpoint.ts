import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { readBody } from "@factory/runtime/ingress/read-body";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { HttpRoute } from "../../../ground/http-endpoints/http-route.js";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { FailureLimiter } from "../../../ground/request-limits/failure-limiter.js";
import { switchOff } from "../../notifications/preferences/switched-off.js";
import { unsubscribedPage, unsubscribePage } from "./unsubscribe.page.js";
import type { MailSubscription, UnsubscribeLinks } from "./unsubscribe-links.js";
import type { UnsubscribedAddresses } from "./unsubscribed-addresses.js";

interface Options {
  readonly issuer: string;
  readonly database: Database;
  readonly links: UnsubscribeLinks;
  readonly addresses: UnsubscribedAddresses;
  readonly logger: Logger;
}

/** Wrong tokens from one address in 15 minutes. A mail provider sends all its users' right ones. */
const maxWrongTokens = 60;
/** Uses per right token in 15 minutes. */
const maxUses = 20;

const texts = {
  unknown: {
    status: 404,
    title: "This link does not work",
    detail: "The link is incomplete. Use the link at the end of the mail as it is.",
  },
  form: {
    status: 400,
    title: "The form could not be read",
    detail: "Open the link of the mail again, and press the button.",
  },
  limited: { status: 429, title: "Too many attempts", detail: "Wait a few minutes and try again." },
  unavailable: {
    status: 503,
    title: "That did not work",
    detail: "Too many people use the page at the same time. Try again in a moment.",
  },
  failed: { status: 500, title: "That did not work", detail: "Something went wrong on our side. Try again later." },
} as const;

/**
 * The page behind a mail's link, and the POST by which mail programs unsubscribe their users with one click (RFC 8058).
 * GET changes nothing. Neither needs a sign-in or a cookie: the token decides.
 */
export function unsubscribeEndpoint(options: Options): HttpRoute {
  const wrong = new FailureLimiter(({ address }: { address: string }) => [{ key: address, limit: maxWrongTokens }]);
  const useLimiter = new FailureLimiter(({ token }: { token: string }) => [{ key: token, limit: maxUses }]);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = { address: clientNetworkOf(request) };
    const wait = wrong.blockedFor(caller);
    if (wait !== undefined) return refuse(response, "limited", { "retry-after": String(wait) });
    const inQuery = new URL(request.url ?? "", options.issuer).searchParams.get("token");
    const form = request.method === "GET" ? undefined : await readUnsubscribeForm(request);
    if (request.method !== "GET" && !form) return refuse(response, "form");
    const token = form?.token ?? inQuery ?? "";
    const subscription = options.links.open(token);
    if (!subscription) {
      wrong.failed(caller);
      return refuse(response, "unknown");
    }
    if (!form) return sendPage(response, unsubscribePage(token, subscription));
    const pause = useLimiter.blockedFor({ token });
    if (pause !== undefined) return refuse(response, "limited", { "retry-after": String(pause) });
    useLimiter.failed({ token });
    await unsubscribe(options, { req: request, res: response }, subscription);
    return sendPage(response, unsubscribedPage(subscription));
  };
  return {
    methods: ["GET", "POST"],
    handle(request, response) {
      answer(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else if (error instanceof DomainError && error.code === "UNAVAILABLE")
          refuse(response, "unavailable", { "retry-after": "5" });
        else {
          options.logger.error({ err: error, traceId: traceIdOf(response) }, "unsubscribing failed");
          refuse(response, "failed");
        }
      });
    },
  };
}

/** A repeated POST changes nothing more. */
async function unsubscribe(
  { database, addresses }: Options,
  exchange: { req: IncomingMessage; res: ServerResponse },
  { tenantId, userId, email, category }: MailSubscription,
): Promise<void> {
  const cause = causeOf(exchange, userId ?? "recipient");
  await database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
    if (userId === null) await addresses.add(transaction, email, category);
    else await switchOff(transaction, userId, { channel: "Email", category });
    transaction.audit({ operation: "unsubscribe", subject: `notification-categories/${category}` });
    failpoint("notification.unsubscribing");
  });
}

function refuse(response: ServerResponse, why: keyof typeof texts, headers: Record<string, string> = {}): void {
  const { status, title, detail } = texts[why];
  sendPage(response, errorPage({ title, detail, traceId: traceIdOf(response) }), { status, headers });
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");

/** The token is absent in a mail program's POST, whose address has it. */
interface UnsubscribeForm {
  readonly token: string | undefined;
}

const maxBytes = 16 * 1024;

/**
 * Reads the form `List-Unsubscribe=One-Click` (RFC 8058, section 3.2), which mail programs send as multipart/form-data
 * or urlencoded. Undefined for anything else, and for more than 16 KiB.
 */
async function readUnsubscribeForm(request: IncomingMessage): Promise<UnsubscribeForm | undefined> {
  const type = request.headers["content-type"] ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(type)) return undefined;
  const bytes = await readBody(request, maxBytes);
  if (!bytes) return undefined;
  const body = new Uint8Array(bytes);
  const fields = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
  if (fields?.get("List-Unsubscribe") !== "One-Click") return undefined;
  const token = fields.get("token");
  return { token: typeof token === "string" ? token : undefined };
}
