import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { requireSupportedMode } from "./authentication/authentication.js";
import type { VendorCredentials } from "./authentication/vendor-credentials.js";
import type { CallAttempts } from "./call-attempts.js";
import { type CallResult, resultOfRefusal, resultOfStatus, type VendorCallCounts } from "./call-counts.js";
import type { VendorCallOutcomes } from "./call-outcomes.js";
import { callRetryDelayMs, pauseAsked } from "./call-retry.js";
import { outOfTime, rateLimited } from "./exchange/call-failure.js";
import {
  isLongPurpose,
  type PreparedReads,
  type VendorRequest,
  type VendorResponse,
  type VendorTarget,
} from "./exchange/vendor-call.js";
import type { VendorRates } from "./rates/vendor-rates.js";
import { requireUsableConnection, requireUsableProvider } from "./usable-target.js";
import { vendorUrl } from "./vendor-url.js";

interface Options {
  readonly providers: ProviderService;
  readonly credentials: VendorCredentials;
  readonly attempts: CallAttempts;
  readonly rates: VendorRates;
  readonly counts: VendorCallCounts;
  readonly outcomes: VendorCallOutcomes;
  readonly clock: () => Date;
}

const defaultTimeoutMs = 15_000;
const maxTimeoutMs = 60_000;
const maxLongTimeoutMs = 5 * 60_000;

/**
 * The one way by which the platform calls vendors. Each call is authenticated as its connection says, keeps the
 * vendor's rate limit, and is counted. Redirects are not followed.
 */
export class VendorCalls {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Opens the credential for a call that follows in a moment, which throws what fails here. Undefined when the connection
   * uses none.
   */
  openCredential(target: VendorTarget): PreparedReads["credential"] {
    const preparedCredentials = this.#options.credentials.prepare(target);
    // A call that does not follow needs none.
    preparedCredentials?.catch(() => undefined);
    return preparedCredentials;
  }

  /**
   * Resolves when the vendor has answered, with any status but 429. Throws UPSTREAM_FAILED, UPSTREAM_TIMEOUT,
   * RATE_LIMITED, AUTH_MODE_NOT_SUPPORTED, CREDENTIAL_NOT_FOUND, CREDENTIAL_REJECTED (no token can be got),
   * CREDENTIAL_UNUSABLE, AUTHORIZATION_REQUIRED, TARGET_BLOCKED, INVALID_STATE, VALIDATION_FAILED (the provider or the
   * connection lacks a value), UNAVAILABLE while the vendor's breaker is open, and the target signal's reason.
   */
  async call(target: VendorTarget, request: VendorRequest): Promise<VendorResponse> {
    const { providers, counts, outcomes } = this.#options;
    const { tenant, connection, runId } = target;
    const provider = await (target.prepared?.provider ?? providers.record(tenant, connection.providerId));
    const report = (status: number | undefined, result: CallResult) => {
      counts.add(provider?.preset, request.purpose, result);
      // A version that is not Current says nothing about the connection.
      if (result === "paused" || result === "unusable" || target.credentialVersion !== undefined) return;
      outcomes.report({
        tenantId: tenant.tenantId,
        connectionId: connection.connectionId,
        purpose: request.purpose,
        ok: result === "answered" || result === "refused",
        status,
        credentialRejected: result === "rejected",
        rateLimited: result === "limited",
        runId,
      });
    };
    try {
      const response = await this.#call(target, requireUsableProvider(provider), request);
      report(response.status, response.credentialRejected ? "rejected" : resultOfStatus(response.status));
      return response;
    } catch (error) {
      if (!target.signal?.aborted)
        report(undefined, error instanceof DomainError ? resultOfRefusal(error) : "unusable");
      throw error;
    }
  }

  async #call(target: VendorTarget, provider: ProviderRecord, request: VendorRequest): Promise<VendorResponse> {
    const { attempts, rates, clock } = this.#options;
    requireUsableConnection(target.connection, request.purpose);
    requireSupportedMode(target.connection.authMode);
    if (provider.baseUrl === null)
      throw new DomainError("VALIDATION_FAILED", { detail: "The provider has no base URL. Add one, then try again." });
    const url = vendorUrl(provider.baseUrl, target.connection.configuration, request);
    const deadline = performance.now() + timeLimitOf(request);
    for (let attempt = 1; ; attempt += 1) {
      const triedTarget = attempt === 1 ? target : { ...target, prepared: undefined };
      const waitMs = await rates.admit(triedTarget, provider.driver.rateLimit, deadline - performance.now());
      if (waitMs > 0) await sleep(waitMs, undefined, { ...(target.signal && { signal: target.signal }) });
      const result = await attempts.make({ target: triedTarget, provider, request, url, deadline }).then(
        (response) => ({ response, error: undefined }),
        (error: unknown) => ({ response: undefined, error }),
      );
      const pauseMs = result.response && pauseAsked(result.response, clock().getTime());
      if (pauseMs !== undefined) await rates.pause(target, pauseMs);
      const delayMs = callRetryDelayMs({ ...result, pauseMs, attempt, request, driver: provider.driver });
      const again = delayMs !== undefined && performance.now() + delayMs < deadline && !target.signal?.aborted;
      if (again) await sleep(delayMs, undefined, { ...(target.signal && { signal: target.signal }) });
      else if (result.error !== undefined) throw result.error;
      else if (pauseMs !== undefined) throw rateLimited("The vendor limits the rate of calls.", pauseMs);
      else if (result.response) return { ...result.response, attempts: attempt };
      else throw outOfTime();
    }
  }
}

function timeLimitOf({ purpose, timeoutMs = defaultTimeoutMs }: VendorRequest): number {
  return Math.min(timeoutMs, isLongPurpose(purpose) ? maxLongTimeoutMs : maxTimeoutMs);
}
