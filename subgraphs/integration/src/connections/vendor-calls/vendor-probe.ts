import { DomainError } from "@factory/runtime/errors/domain-error";
import { isKeptNumber, parseForeignJson, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { MailServer } from "../../providers/provider-drivers/command-template.js";
import type { ProbeExpectation } from "../../providers/provider-drivers/provider-driver.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { AccessTokens } from "./access-tokens.js";
import { requireSupportedMode, usesTokens } from "./authentication/authentication.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { VendorMailer } from "./mailer.js";
import { requireUsableProvider } from "./usable-target.js";
import type { VendorCalls } from "./vendor-calls.js";

/** The result that a probe has. */
interface ProbeResult {
  /** `unchecked`: the provider has no probe, and no token was needed. */
  readonly outcome: "ok" | "unchecked" | "rejected" | "failed";
  /** The status in the probe's answer. Undefined where a token was got, or nothing was asked. */
  readonly status: number | undefined;
  /** For people. It holds nothing from the answer. */
  readonly detail: string;
  readonly durationMs: number;
}

/** Finds out whether a connection's credential works. */
export class VendorProbe {
  readonly #calls: VendorCalls;
  readonly #tokens: AccessTokens;
  readonly #providers: ProviderService;
  readonly #mailer: VendorMailer;

  constructor(calls: VendorCalls, tokens: AccessTokens, providers: ProviderService, mailer: VendorMailer) {
    this.#calls = calls;
    this.#tokens = tokens;
    this.#providers = providers;
    this.#mailer = mailer;
  }

  /**
   * Runs the probe in the provider's driver once. Where the driver has none, logs in at its mail server, or gets a new
   * token. Throws what `VendorCalls.call` throws when nothing was found out; a rejected credential is a result.
   */
  async probe(target: VendorTarget): Promise<ProbeResult> {
    const startTime = performance.now();
    const finding = await this.#probe(target).catch((error: unknown) => {
      if (!(error instanceof DomainError) || error.code !== "CREDENTIAL_REJECTED") throw error;
      return { outcome: "rejected", status: undefined, detail: error.message } as const;
    });
    return { ...finding, durationMs: Math.round(performance.now() - startTime) };
  }

  async #probe(target: VendorTarget): Promise<Omit<ProbeResult, "durationMs">> {
    const { tenant, connection } = target;
    requireSupportedMode(connection.authMode);
    const provider = requireUsableProvider(await this.#providers.record(tenant, connection.providerId));
    const { probe, smtp } = provider.driver;
    if (probe && provider.baseUrl !== null) {
      const { method, path, okStatuses, expect } = probe;
      const answer = await this.#calls.call(target, { purpose: "probe", method, path });
      const { status, credentialRejected } = answer;
      const isOk = okStatuses ? okStatuses.includes(status) : status >= 200 && status < 300;
      if (isOk && expect && answer.truncated)
        return { outcome: "failed", status, detail: "The vendor's answer to the probe is longer than 64 KiB." };
      if (isOk && expect && !hasExpected(expect, answer.body))
        return { outcome: "rejected", status, detail: "The vendor's answer to the probe is not the expected one." };
      if (isOk) return { outcome: "ok", status, detail: `The vendor answered with the status ${status}.` };
      const detail = `The vendor answered the probe with the status ${status} (${statusClass(status)}).`;
      return { outcome: credentialRejected ? "rejected" : "failed", status, detail };
    }
    if (smtp) return this.#probeMailServer(target, provider, smtp);
    if (!usesTokens(connection.authMode, provider.driver))
      return { outcome: "unchecked", status: undefined, detail: "The provider has no probe, so nothing was checked." };
    return (await this.#tokens.check(target, provider))
      ? { outcome: "ok", status: undefined, detail: "The vendor's token endpoint has given a token." }
      : { outcome: "unchecked", status: undefined, detail: "The token is still valid, so the vendor was not asked." };
  }

  async #probeMailServer(
    target: VendorTarget,
    provider: ProviderRecord,
    server: MailServer,
  ): Promise<Omit<ProbeResult, "durationMs">> {
    try {
      await this.#mailer.check(target, provider, server);
      return { outcome: "ok", status: undefined, detail: "The mail server has accepted the session." };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "VENDOR_REFUSED") throw error;
      return { outcome: "failed", status: undefined, detail: error.message };
    }
  }
}

function statusClass(status: number): string {
  if (status >= 500) return "server error";
  if (status >= 400) return "client error";
  return status >= 300 ? "redirect, which is not followed" : "not one of okStatuses";
}

/** Whether the value at the path `body:<JSON pointer>` stands in a JSON body. */
export function hasExpected({ value, equals }: ProbeExpectation, body: Buffer): boolean {
  const tokens = value.split("/").slice(1);
  try {
    const foundValue = tokens.reduce(memberOf, parseForeignJson(body.toString("utf8")));
    if (typeof foundValue === "string") return foundValue === equals;
    // `1.0` is both: as it was sent, and 1.
    return [foundValue, withPlainNumbers(foundValue)].some((candidate) => JSON.stringify(candidate) === equals);
  } catch {
    return false;
  }
}

function memberOf(value: unknown, token: string): unknown {
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  const isObject = typeof value === "object" && value !== null && !isKeptNumber(value) && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
