import { DomainError } from "@factory/runtime/errors/domain-error";
import { parseRetryAfter } from "../../ground/egress/retry-after.js";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import type { VendorRequest, VendorResponse } from "./exchange/vendor-call.js";

type Answer = Pick<VendorResponse, "status" | "headers">;

const maxAttempts = 3;
const firstDelayMs = 250;
const jitter = 0.2;
const defaultPauseMs = 1000;
const passing = new Set([502, 503, 504]);
const safeMethods = new Set(["GET", "HEAD"]);

/** The pause that the vendor asks for: with 429, and with 403 where a rate limit is the reason, as at GitHub. */
export function pauseAsked({ status, headers }: Answer, now: number): number | undefined {
  const retryAfterMs = parseRetryAfter(single(headers["retry-after"]), now);
  if (status === 429) return retryAfterMs ?? defaultPauseMs;
  if (status !== 403 || single(headers["x-ratelimit-remaining"]) !== "0") return undefined;
  const reset = Number(single(headers["x-ratelimit-reset"]));
  return retryAfterMs ?? (Number.isFinite(reset) ? Math.max(defaultPauseMs, reset * 1000 - now) : defaultPauseMs);
}

/** The delay before the next attempt; undefined when there is none. */
export function callRetryDelayMs({
  response,
  error,
  pauseMs,
  attempt,
  request,
  driver,
  random = Math.random,
}: {
  response?: Answer | undefined;
  error?: unknown;
  pauseMs?: number | undefined;
  attempt: number;
  request: VendorRequest;
  driver: ProviderDriver;
  random?: () => number;
}): number | undefined {
  if (attempt >= maxAttempts || request.retry === "never" || request.onBody) return undefined;
  const hasKey = request.idempotencyKey !== undefined && driver.idempotencyHeader !== undefined;
  if (!safeMethods.has(request.method) && !hasKey && request.retry !== "always") return undefined;
  const isFailure =
    error instanceof DomainError && error.code === "UPSTREAM_FAILED" && error.facts["retryAfterSeconds"] === undefined;
  if (!isFailure && pauseMs === undefined && !(response && passing.has(response.status))) return undefined;
  const plannedDelay = firstDelayMs * 2 ** (attempt - 1) * (1 - jitter + 2 * jitter * random());
  return Math.round(Math.max(plannedDelay, pauseMs ?? 0));
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
