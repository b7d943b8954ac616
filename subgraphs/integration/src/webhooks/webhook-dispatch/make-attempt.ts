import type { Egress } from "@factory/runtime/egress/egress";
import { isFileOutage } from "@factory/runtime/errors/file-failure";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { WebhookMessageState } from "../webhook-messages/webhook-message.states.js";
import type { DeliveryTarget } from "./delivery-target.js";
import { type DeliveryVerdict, errorVerdict, failedVerdict, responseVerdict } from "./delivery-verdict.js";
import type { ClaimedMessage } from "./message-claims.js";
import { retryDelayMs } from "./retry-schedule.js";
import { webhookRequest } from "./webhook-request.js";

/** An attempt's result and its message's next state. */
export interface MadeAttempt {
  readonly message: ClaimedMessage;
  readonly verdict: DeliveryVerdict;
  readonly exchange: LoggedExchange;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly status: WebhookMessageState;
  /** The delay until the next attempt, or null after the last attempt. */
  readonly delayMs: number | null;
}

export interface AttemptSettings {
  readonly egress: Egress;
  /** The delay before each attempt. The number of delays is the number of attempts. */
  readonly retryDelaysMs: readonly number[];
  /** The time limit from the connection to the response's end. It is shorter than a claim. */
  readonly attemptTimeoutMs: number;
  readonly logger: Logger;
}

interface Sent {
  readonly target: DeliveryTarget;
  readonly message: ClaimedMessage;
  readonly envelope: Envelope;
}

const connectTimeoutMs = 5_000;
const maxResponseBytes = 64 * 1024;

/**
 * Sends one message once, without a transaction. Undefined when `signal` ended it, or no connection could be opened
 * because the file descriptors have run out. That does not count as an attempt.
 */
export async function makeAttempt(
  settings: AttemptSettings,
  delivery: Sent,
  signal: AbortSignal,
): Promise<MadeAttempt | undefined> {
  const startedAt = new Date();
  const startMs = performance.now();
  const exchange: LoggedExchange = { requestUrl: null, requestHeaders: null, responseHeaders: null };
  const verdict = await send(settings, { ...delivery, exchange }, { now: startedAt, signal });
  if (!verdict) return undefined;
  const { message } = delivery;
  const delayMs =
    verdict.kind === "failed"
      ? retryDelayMs(settings.retryDelaysMs, message.attempts - message.attemptsBefore + 1, verdict.retry)
      : undefined;
  return {
    message,
    verdict,
    exchange,
    startedAt,
    durationMs: Math.round(performance.now() - startMs),
    status: nextState(verdict, delayMs),
    delayMs: delayMs ?? null,
  };
}

async function send(
  { egress, attemptTimeoutMs, logger }: AttemptSettings,
  { target, message, envelope, exchange }: Sent & { readonly exchange: LoggedExchange },
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<DeliveryVerdict | undefined> {
  const { endpointUrl, contentType, headers, secrets } = target;
  if (secrets.length === 0)
    return failedVerdict("SigningSecretUnavailable", "The signing secret cannot be read, so nothing was sent.");
  try {
    const request = webhookRequest(envelope, { position: message.position, contentType, headers, secrets, now });
    exchange.requestUrl = endpointUrl;
    exchange.requestHeaders = loggedRequestHeaders(request.headers);
    const response = await egress.request(endpointUrl, {
      method: "POST",
      ...request,
      timeoutMs: attemptTimeoutMs,
      connectTimeoutMs,
      maxResponseBytes,
      signal,
    });
    exchange.responseHeaders = loggedResponseHeaders(response.headers);
    return responseVerdict(response, now.getTime());
  } catch (error) {
    if (signal.aborted) return undefined;
    if (isFileOutage(error)) {
      logger.warn({ err: error, messageId: message.messageId }, "a webhook attempt was not made");
      return undefined;
    }
    const verdict = errorVerdict(error);
    if (verdict) return verdict;
    logger.error({ err: error, messageId: message.messageId }, "a webhook attempt failed because of a bug");
    return failedVerdict("InternalError", "The attempt failed inside the platform.");
  }
}

function nextState({ kind }: DeliveryVerdict, delayMs: number | undefined): WebhookMessageState {
  if (kind === "delivered") return "Delivered";
  if (kind === "aborted") return "Aborted";
  return delayMs === undefined ? "Exhausted" : "RetryScheduled";
}

/** An attempt's request and response as its log keeps them: bounded, and without secrets. */
interface LoggedExchange {
  requestUrl: string | null;
  requestHeaders: Readonly<Record<string, string>> | null;
  responseHeaders: Readonly<Record<string, string>> | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const mask = "[redacted]";
const maxHeaders = 32;
const maxValueLength = 256;

/** The request headers that the platform sets itself. All others may be the tenant's secrets. */
const plain = new Set([
  "content-type",
  "svc-schema-version",
  "traceparent",
  "user-agent",
  "webhook-id",
  "webhook-timestamp",
]);

/** Words in names for response headers that often carry secrets. */
const suspicious = /auth|cookie|credential|key|password|secret|session|signature|token/i;

export const loggedRequestHeaders = (headers: Headers): Record<string, string> =>
  logged(headers, (name) => plain.has(name.toLowerCase()));

export const loggedResponseHeaders = (headers: Headers): Record<string, string> =>
  logged(headers, (name) => !suspicious.test(name));

function logged(headers: Headers, isShown: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(headers).slice(0, maxHeaders);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isShown(name) ? textOf(value).slice(0, maxValueLength) : mask]),
  );
}

/** PostgreSQL keeps no NUL in text. */
const textOf = (value: string | string[] | undefined): string => [value ?? []].flat().join(", ").replaceAll("\0", "");
