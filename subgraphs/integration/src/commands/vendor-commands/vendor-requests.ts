import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";
import { unsent, wasUnsent } from "../../connections/vendor-calls/exchange/call-failure.js";
import type { VendorResponse, VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorMailer } from "../../connections/vendor-calls/mailer.js";
import type { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import {
  type CommandTemplate,
  commandsWithUrl,
  commandsWithVendorId,
  type MailServer,
  moneyCommands,
  type StateRequest,
} from "../../providers/provider-drivers/command-template.js";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import { answerUrl, answerValue } from "./answer-value.js";
import { refusalCodeOf } from "./refusal-code.js";
import { formOf, renderedTemplate } from "./rendered-template.js";
import type { OpenCommand } from "./stored-commands.js";

/** The facts that the vendor told about a command that it has accepted. */
interface VendorResult {
  /** The id that the vendor gave to the thing that the command has made. */
  readonly vendorId: string | null;
  /** The outcome that the answer to a command that moves money says already; null where it says nothing final. */
  readonly outcome?: ReportedOutcome | null;
  readonly [fact: string]: unknown;
}

/** An outcome that the vendor has told when it was asked. */
interface SeenOutcome {
  readonly outcome: ReportedOutcome;
  /** The failure's code, otherwise the state. */
  readonly reason: string | null;
}

const mediaTypes = { json: "application/json", form: "application/x-www-form-urlencoded" };

/** Statuses with which a vendor says that it has done nothing yet. */
const notYet = [425, 503];
/** Statuses for a request that is repeated with its idempotency key too early. */
const stillRunning = [408, 409];

/** Carries out commands by requests to vendors: by the driver's template, or by its mail server. */
export class VendorRequests {
  readonly #calls: VendorCalls;
  readonly #mailer: VendorMailer;

  constructor(calls: VendorCalls, mailer: VendorMailer) {
    this.#calls = calls;
    this.#mailer = mailer;
  }

  /**
   * Asks the vendor once, and again only where it cannot have the effect twice. Throws what `VendorCalls.call` throws,
   * VENDOR_REFUSED, and OUTCOME_UNKNOWN where the vendor has no idempotency keys and may have carried out the command.
   */
  async send(target: VendorTarget, driver: ProviderDriver, command: OpenCommand): Promise<VendorResult> {
    const { commands, smtp } = driver;
    const template = commands?.[command.type];
    const hasKeys = driver.idempotencyHeader !== undefined;
    if (template) return this.#request(target, template, command, hasKeys || template.repeatable === true);
    if (smtp && command.type === "SendEmail") return this.#mail(target, smtp, command);
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: `The driver of the provider does not describe ${command.type} any more.`,
    });
  }

  async #request(
    target: VendorTarget,
    { method, path, encoding, body, vendorId, url, repeatable, state }: CommandTemplate,
    { commandId, type, data }: OpenCommand,
    isIdempotent: boolean,
  ): Promise<VendorResult> {
    const renderedBody = renderedTemplate(body, { ...data, commandId });
    const answer = await this.#calls
      .call(target, {
        ...{ purpose: "command", method, path, idempotencyKey: commandId },
        ...(repeatable === true && { retry: "always" as const }),
        // each attempt is noted, so that it is known whether one may have reached the vendor
        ...(moneyCommands.includes(type) && { retry: "never" as const }),
        headers: { "content-type": mediaTypes[encoding], accept: "application/json" },
        body: encoding === "json" ? JSON.stringify(renderedBody) : formOf(renderedBody),
      })
      .catch((error: unknown) => {
        throw isIdempotent ? error : onceOnly(error);
      });
    requireAccepted(answer, isIdempotent);
    const id = vendorId === undefined ? null : answerValue(answer, vendorId);
    if (id === null && commandsWithVendorId.includes(type))
      throw new DomainError("OUTCOME_UNKNOWN", {
        detail: "The vendor's answer has no id at the place that the driver names.",
      });
    if (moneyCommands.includes(type)) return { vendorId: id, outcome: toldOutcome(answer, state) ?? null };
    if (!commandsWithUrl.includes(type)) return { vendorId: id };
    const address = url === undefined ? null : answerUrl(answer, url);
    if (address === null && type === "CreateCheckoutSession")
      throw new DomainError("OUTCOME_UNKNOWN", {
        detail: "The vendor's answer has no address of the page at the place that the driver names.",
      });
    return { vendorId: id, url: address };
  }

  /**
   * The outcome for a command that the vendor has accepted, as it tells when it is asked. Undefined where it does not
   * tell, or cannot be asked. Throws what `VendorCalls.call` throws, and UPSTREAM_FAILED.
   */
  async outcomeOf(
    target: VendorTarget,
    { commands }: ProviderDriver,
    { commandId, type, vendorId }: OpenCommand,
  ): Promise<SeenOutcome | undefined> {
    const state = commands?.[type]?.state;
    if (!state || !isAskable(state, vendorId)) return undefined;
    const configuration = { ...target.connection.configuration, commandId, ...(vendorId !== null && { vendorId }) };
    const answer = await this.#calls.call(
      { ...target, connection: { ...target.connection, configuration } },
      { purpose: "command", method: "GET", path: state.path, headers: { accept: "application/json" } },
    );
    const { status, credentialRejected } = answer;
    if (credentialRejected) throw new DomainError("CREDENTIAL_REJECTED", { detail: statusMessage(status) });
    if (status >= 500 || stillRunning.includes(status))
      throw new DomainError("UPSTREAM_FAILED", { detail: statusMessage(status) });
    const outcome = status >= 200 && status < 300 ? toldOutcome(answer, state) : undefined;
    return outcome && { outcome, reason: refusalCodeOf(answer) ?? answerValue(answer, state.value) };
  }

  async #mail(target: VendorTarget, server: MailServer, { commandId, data }: OpenCommand): Promise<VendorResult> {
    const from = String(data["from"]);
    const messageId = `<${commandId}@${from.slice(from.lastIndexOf("@") + 1)}>`;
    const addresses = (name: string) => (Array.isArray(data[name]) ? data[name].map(String) : []);
    const content = (name: string) => (typeof data[name] === "string" ? data[name] : undefined);
    const refusedRecipients = await this.#mailer.send(target, server, {
      ...{ messageId, from, subject: String(data["subject"]) },
      ...{ to: addresses("to"), cc: addresses("cc"), bcc: addresses("bcc") },
      ...{ text: content("text"), html: content("html"), listUnsubscribe: content("listUnsubscribe") },
    });
    return { vendorId: messageId, refusedRecipients };
  }
}

/** Whether the driver says how the vendor is asked for a command's outcome. */
export const canBeAsked = ({ commands }: ProviderDriver, { type }: OpenCommand): boolean =>
  commands?.[type]?.state !== undefined;

const isAskable = ({ path }: StateRequest, vendorId: string | null) =>
  vendorId !== null || !path.includes("{vendorId}");

/** The outcome that an answer names, be it the command's or a look's at its state. */
function toldOutcome(answer: VendorResponse, state: StateRequest | undefined): ReportedOutcome | undefined {
  const value = state ? answerValue(answer, state.value) : null;
  return state && value !== null && Object.hasOwn(state.outcomes, value) ? state.outcomes[value] : undefined;
}

/** The error for a call that must not be repeated once it may have reached the vendor. */
function onceOnly(error: unknown): unknown {
  const isAmbiguous =
    error instanceof DomainError &&
    (error.code === "UPSTREAM_FAILED" || error.code === "UPSTREAM_TIMEOUT") &&
    !wasUnsent(error);
  return isAmbiguous ? outcomeUnknown(error.message) : error;
}

function requireAccepted(answer: VendorResponse, isIdempotent: boolean): void {
  const { status, credentialRejected } = answer;
  if (status >= 200 && status < 300) return;
  const code = refusalCodeOf(answer);
  const detail = code === undefined ? statusMessage(status) : `${statusMessage(status)} Its code is ${code}.`;
  if (credentialRejected) throw new DomainError("CREDENTIAL_REJECTED", { detail });
  if (notYet.includes(status)) throw unsent(new DomainError("UPSTREAM_FAILED", { detail }));
  if (isIdempotent && (status >= 500 || stillRunning.includes(status)))
    throw new DomainError("UPSTREAM_FAILED", { detail });
  if (status >= 500 || status === 408) throw outcomeUnknown(detail);
  throw new DomainError("VENDOR_REFUSED", { detail, vendorStatus: status });
}

const statusMessage = (status: number) => `The vendor answered with the status ${status}.`;

const outcomeUnknown = (detail: string) =>
  new DomainError("OUTCOME_UNKNOWN", {
    detail: `${detail} The driver names no way to repeat a command without a second effect.`,
  });
