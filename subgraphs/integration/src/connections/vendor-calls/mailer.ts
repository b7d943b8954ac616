import { isIPv6 } from "node:net";
import type { Egress } from "@factory/runtime/egress/egress";
import { EgressFailure } from "@factory/runtime/egress/egress-errors";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { MailServer } from "../../providers/provider-drivers/command-template.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { member, optionalMember } from "./authentication/material.js";
import type { OpenVersion, VendorCredentials } from "./authentication/vendor-credentials.js";
import { type CallResult, resultOfRefusal, type VendorCallCounts } from "./call-counts.js";
import type { VendorCallOutcomes } from "./call-outcomes.js";
import { callFailure, credentialRejected, unsent } from "./exchange/call-failure.js";
import type { VendorBreakers } from "./exchange/vendor-breakers.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { VendorRates } from "./rates/vendor-rates.js";
import {
  checkLogin,
  MailStepFailed,
  type SessionOptions,
  SmtpUtf8Missing,
  sendMail,
  type VendorMail,
} from "./smtp/mail-session.js";
import { requireUsableConnection, requireUsableProvider } from "./usable-target.js";

interface Options {
  readonly providers: ProviderService;
  readonly credentials: VendorCredentials;
  readonly rates: VendorRates;
  readonly counts: VendorCallCounts;
  readonly outcomes: VendorCallOutcomes;
  readonly breakers: VendorBreakers;
  readonly egress: Egress;
  /** Refuses servers without TLS. */
  readonly httpsOnly: boolean;
}

const connectTimeoutMs = 10_000;
const totalTimeoutMs = 45_000;
const checkTimeoutMs = 20_000;
const supportedModes = ["Basic", "None"];

/** Sends mail by a provider's mail server, with the connection's login. */
export class VendorMailer {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Resolves with the number of refused recipients when the server has accepted the mail. Throws what
   * `VendorCalls.call` throws before the vendor is asked, CREDENTIAL_REJECTED, VENDOR_REFUSED,
   * MAIL_ADDRESS_UNSUPPORTED, UPSTREAM_FAILED where another attempt may succeed, and OUTCOME_UNKNOWN where the server
   * may have accepted the mail.
   */
  async send(target: VendorTarget, server: MailServer, mail: VendorMail): Promise<number> {
    const { providers, counts, outcomes } = this.#options;
    const { tenant, connection, runId } = target;
    const provider = requireUsableProvider(await providers.record(tenant, connection.providerId));
    requireUsableConnection(connection, "command");
    const report = (result: CallResult) => {
      counts.add(provider.preset, "command", result);
      if (result === "paused") return;
      outcomes.report({
        ...{ tenantId: tenant.tenantId, connectionId: connection.connectionId, purpose: "command", runId },
        ...{ ok: result === "answered" || result === "refused", status: undefined },
        ...{ credentialRejected: result === "rejected", rateLimited: result === "limited" },
      });
    };
    try {
      const refusedCount = await this.#inSession(target, provider, { server, timeoutMs: totalTimeoutMs }, (session) =>
        sendMail(mail, session),
      );
      report("answered");
      return refusedCount;
    } catch (error) {
      if (error instanceof DomainError && !target.signal?.aborted) {
        const result = error.code === "OUTCOME_UNKNOWN" ? "unreachable" : resultOfRefusal(error);
        if (error.code === "VENDOR_REFUSED" || error.code === "MAIL_ADDRESS_UNSUPPORTED") report("refused");
        else if (result !== "unusable") report(result);
      }
      throw error;
    }
  }

  /**
   * Logs in at the server and leaves. Throws what `VendorCalls.call` throws before the vendor is asked,
   * CREDENTIAL_REJECTED, UPSTREAM_FAILED where the server does not work now, and VENDOR_REFUSED where it refuses.
   */
  async check(target: VendorTarget, provider: ProviderRecord, server: MailServer): Promise<void> {
    const { from = "localhost" } = target.connection.configuration;
    const count = (result: CallResult) => this.#options.counts.add(provider.preset, "probe", result);
    try {
      await this.#inSession(target, provider, { server, timeoutMs: checkTimeoutMs }, (session) =>
        checkLogin(from, session),
      );
      count("answered");
    } catch (error) {
      if (error instanceof DomainError && !target.signal?.aborted)
        count(error.code === "VENDOR_REFUSED" ? "refused" : resultOfRefusal(error));
      throw error;
    }
  }

  async #inSession<T>(
    target: VendorTarget,
    { driver }: ProviderRecord,
    { server, timeoutMs }: { readonly server: MailServer; readonly timeoutMs: number },
    work: (session: SessionOptions) => Promise<T>,
  ): Promise<T> {
    const { egress, rates, credentials, breakers, httpsOnly } = this.#options;
    const { host, port, security } = server;
    if (httpsOnly && security === "none")
      throw new DomainError("TARGET_BLOCKED", { detail: "The mail server must be called with TLS." });
    const { authMode } = target.connection;
    if (!supportedModes.includes(authMode))
      throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
        detail: `Mail servers with the authentication mode "${authMode}" are not supported. Use ${supportedModes.join(" or ")}.`,
      });
    await rates.admit(target, driver.rateLimit, 0);
    const url = new URL(`smtp://${isIPv6(host) ? `[${host}]` : host}:${port}`);
    const { material } = await credentials.current(target, url);
    const login = loginOf(authMode, material);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = target.signal ? AbortSignal.any([target.signal, timeout]) : timeout;
    const receiver = { tenant: target.tenant.uuid, origin: url.href };
    const { probe, leave } = breakers.enter(receiver);
    try {
      const socket = await egress.connectToMailHost(server, connectTimeoutMs, signal);
      const result = await work({ server, socket, login, authorities: optionalMember(material, "ca"), signal });
      breakers.answered(receiver);
      return result;
    } catch (error) {
      if (target.signal?.aborted) throw target.signal.reason;
      if (error instanceof SmtpUtf8Missing || (error instanceof MailStepFailed && error.replyCode !== undefined))
        breakers.answered(receiver);
      else if (error instanceof MailStepFailed || error instanceof EgressFailure) breakers.unanswered(receiver, probe);
      throw failureOf(error);
    } finally {
      leave();
    }
  }
}

const loginOf = (authMode: string, material: OpenVersion["material"]) =>
  authMode === "None" ? undefined : { user: member(material, "username"), password: member(material, "password") };

/** The server's reply is not repeated, since it may contain recipients' addresses. */
function failureOf(error: unknown): unknown {
  if (error instanceof SmtpUtf8Missing)
    return new DomainError("MAIL_ADDRESS_UNSUPPORTED", {
      detail:
        "The part of an address before the @ is not ASCII, and the mail server does not offer SMTPUTF8. Use another address or another mail server.",
    });
  if (!(error instanceof MailStepFailed)) return callFailure(error);
  const { step, replyCode } = error;
  if (replyCode === undefined && step === "send")
    return new DomainError("OUTCOME_UNKNOWN", {
      detail: "The mail server ended the connection before it answered whether it has accepted the mail.",
    });
  if (replyCode === undefined)
    return unsent(new DomainError("UPSTREAM_FAILED", { detail: `The mail server failed at the step ${step}.` }));
  const detail = `The mail server answered the step ${step} with ${replyCode}.`;
  if (replyCode < 500) return unsent(new DomainError("UPSTREAM_FAILED", { detail }));
  return step === "login" ? credentialRejected(detail) : new DomainError("VENDOR_REFUSED", { detail });
}
