import type { EgressResponse } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { AccessTokens } from "./access-tokens.js";
import { type Authentication, authenticate, usesTokens, withAccessToken } from "./authentication/authentication.js";
import type { OpenVersion, VendorCredentials } from "./authentication/vendor-credentials.js";
import type { VendorCallCounts } from "./call-counts.js";
import { pauseAsked } from "./call-retry.js";
import { outOfTime, unsent } from "./exchange/call-failure.js";
import {
  type CallPurpose,
  isLongPurpose,
  type VendorRequest,
  type VendorResponse,
  type VendorTarget,
} from "./exchange/vendor-call.js";
import type { VendorSender } from "./exchange/vendor-sender.js";

interface Options {
  readonly credentials: VendorCredentials;
  readonly tokens: AccessTokens;
  readonly sender: VendorSender;
  readonly counts: VendorCallCounts;
  readonly clock: () => Date;
}

/** One attempt in a call. */
interface Attempt {
  readonly target: VendorTarget;
  readonly provider: ProviderRecord;
  readonly request: VendorRequest;
  readonly url: URL;
  /** Milliseconds on the monotonic clock. */
  readonly deadline: number;
}

/** A body that is taken piece by piece is not held in memory. */
const maxTakenBytes = 256 * 1024 * 1024;
/**
 * Many probes run at the same time, and none needs more than a value in a small answer. Answers from models and tools
 * are passed on in 1 MiB messages.
 */
const maxResponseBytes: Readonly<Record<CallPurpose, number>> = {
  command: 4 * 1024 * 1024,
  model: 2 * 1024 * 1024,
  tool: 2 * 1024 * 1024,
  probe: 64 * 1024,
};

/** Makes one attempt in a call: with a renewed token, or with the credential's Previous version, after a 401. */
export class CallAttempts {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  make(attempt: Attempt): Promise<VendorResponse> {
    const { target, provider } = attempt;
    return usesTokens(target.connection.authMode, provider.driver)
      ? this.#withToken(attempt)
      : this.#withCredential(attempt);
  }

  async #withToken(attempt: Attempt): Promise<VendorResponse> {
    const { tokens, credentials } = this.#options;
    const { target, provider, url, deadline } = attempt;
    const { token, version } = await inTime(tokens.of(target, provider), target, deadline);
    // The hosts that a credential names hold for its tokens too.
    await credentials.current(target, url);
    const answer = await this.#send(attempt, withAccessToken(token));
    if (answer.status !== 401) return this.#response(answer);
    const accessToken = await inTime(tokens.of(target, provider, version), target, deadline);
    return this.#response(await this.#send(attempt, withAccessToken(accessToken.token)));
  }

  async #withCredential(attempt: Attempt): Promise<VendorResponse> {
    const { credentials, counts } = this.#options;
    const { target, url } = attempt;
    const answer = await this.#sendWith(attempt, await credentials.current(target, url));
    const former = answer.status === 401 ? await credentials.previous(target, url) : undefined;
    if (!former) return this.#response(answer);
    const second = await this.#sendWith(attempt, former);
    if (second.status !== 401 && second.status !== 403) counts.addFallback();
    return this.#response(second);
  }

  async #sendWith(attempt: Attempt, { material }: OpenVersion): Promise<EgressResponse> {
    const { target, provider, request, url } = attempt;
    const callRequest = { method: request.method, url, body: request.body, now: this.#options.clock() };
    return this.#send(attempt, await authenticate(target.connection.authMode, material, callRequest, provider.driver));
  }

  #send(
    { target, provider, request, url, deadline }: Attempt,
    authentication: Authentication,
  ): Promise<EgressResponse> {
    const { purpose, method, headers = {}, body, idempotencyKey, onBody } = request;
    const { headers: always = {}, idempotencyHeader } = provider.driver;
    const address = new URL(url);
    if (authentication.query) address.searchParams.set(...authentication.query);
    return this.#options.sender.send(target, {
      url: address,
      method,
      headers: {
        "user-agent": "svc-integration/1",
        ...lowerCase(always),
        ...lowerCase(headers),
        ...(idempotencyHeader && idempotencyKey && { [idempotencyHeader.toLowerCase()]: idempotencyKey }),
        traceparent: traceparent(continueTrace(traceparent(target.cause.trace))),
        ...authentication.headers,
      },
      body,
      deadline,
      maxResponseBytes: onBody ? maxTakenBytes : maxResponseBytes[purpose],
      onBody,
      isLong: isLongPurpose(purpose),
      tls: authentication.tls,
    });
  }

  #response({ status, headers, body, truncated }: EgressResponse): VendorResponse {
    const isLimited = pauseAsked({ status, headers }, this.#options.clock().getTime()) !== undefined;
    const credentialRejected = !isLimited && (status === 401 || status === 403);
    return { status, headers, body, truncated, credentialRejected, attempts: 1 };
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The work goes on for other callers when this one has no more time. */
async function inTime<T>(work: Promise<T>, { signal }: VendorTarget, deadline: number): Promise<T> {
  let end: () => void = () => undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(outOfTime()), Math.max(0, deadline - performance.now()));
    const abort = () => reject(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  });
  try {
    return await Promise.race([work, tooLate]);
  } catch (error) {
    // without a token the vendor was not asked, or has just refused the former one
    throw error instanceof DomainError ? unsent(error) : error;
  } finally {
    end();
  }
}
