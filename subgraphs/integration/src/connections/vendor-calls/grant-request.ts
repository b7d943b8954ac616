import { setTimeout as sleep } from "node:timers/promises";
import type { EgressResponse } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { resultOfRefusal, resultOfStatus, type VendorCallCounts } from "./call-counts.js";
import { pauseAsked } from "./call-retry.js";
import { rateLimited } from "./exchange/call-failure.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { VendorSender } from "./exchange/vendor-sender.js";
import type { VendorRates } from "./rates/vendor-rates.js";
import { type GrantedTokens, maxTokenAnswerBytes, parseTokenAnswer } from "./token-answer.js";

interface Options {
  readonly sender: VendorSender;
  readonly rates: VendorRates;
  readonly counts: VendorCallCounts;
  readonly clock: () => Date;
}

/** A request to a token endpoint, with the client's authentication. */
interface GrantRequest {
  readonly provider: ProviderRecord;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: URLSearchParams;
}

/** A lease on the tokens is longer than two requests, one for each version that the credential has, and the storage. */
const timeoutMs = 15_000;

/** Sends requests to token endpoints. They keep the vendor's rate limit, and are counted and traced as calls are. */
export class GrantRequests {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Throws what `parseTokenAnswer` and `VendorSender.send` throw, and RATE_LIMITED while the connection's calls pause. */
  async send(target: VendorTarget, request: GrantRequest): Promise<GrantedTokens> {
    const { rates, counts, clock } = this.#options;
    const { preset } = request.provider;
    let answer: EgressResponse | undefined;
    try {
      answer = await this.#answer(target, request);
      const pauseMs = pauseAsked(answer, clock().getTime());
      if (pauseMs !== undefined) {
        await rates.pause(target, pauseMs);
        throw rateLimited("The vendor's token endpoint limits requests.", pauseMs);
      }
      const tokens = parseTokenAnswer(answer);
      counts.add(preset, "token", "answered");
      return tokens;
    } catch (error) {
      if (error instanceof DomainError) counts.add(preset, "token", resultOf(error, answer?.status));
      throw error;
    }
  }

  async #answer(target: VendorTarget, { provider, url, headers, parameters }: GrantRequest): Promise<EgressResponse> {
    const deadline = performance.now() + timeoutMs;
    const waitMs = await this.#options.rates.admit(target, provider.driver.rateLimit, timeoutMs);
    if (waitMs > 0) await sleep(waitMs, undefined, { ...(target.signal && { signal: target.signal }) });
    return this.#options.sender.send(target, {
      url,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "svc-integration/1",
        traceparent: traceparent(continueTrace(traceparent(target.cause.trace))),
        ...headers,
      },
      body: parameters.toString(),
      deadline,
      maxResponseBytes: maxTokenAnswerBytes,
    });
  }
}

/** An answer with a status below 400 that gives no token is the vendor's failure. */
function resultOf(error: DomainError, status: number | undefined) {
  if (error.code !== "UPSTREAM_FAILED" || status === undefined) return resultOfRefusal(error);
  const result = resultOfStatus(status);
  return result === "answered" ? "failed" : result;
}
