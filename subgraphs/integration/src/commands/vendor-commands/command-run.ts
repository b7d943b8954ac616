import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { commandsOf } from "@factory/schema/command-names";
import type { Scope } from "@factory/schema/scopes";
import type { VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import { moneyCommands, type VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { failedOutcomes } from "../../providers/provider-drivers/vendor-report.js";
import { AwaitedOutcome, type RunAttempt, type RunEnd, type RunHandler } from "../../runs/run-operations.js";
import { causeOfRun, type RunRecord } from "../../runs/run-record.js";
import { recordCommandFailure, recordDone, stateOfFailure } from "./command-answers.js";
import type { CommandConnection, CommandConnections } from "./command-connections.js";
import { didNothing, withDoubt } from "./payments/doubt.js";
import { firstLook, lastLookSeconds, nextLook } from "./payments/outcome-looks.js";
import type { PaymentRecords } from "./payments/payment-records.js";
import { endOf, type ToldOutcome } from "./payments/reported-end.js";
import type { OpenCommand, StoredCommands } from "./stored-commands.js";
import { canBeAsked, type VendorRequests } from "./vendor-requests.js";

interface Services {
  readonly rows: StoredCommands;
  readonly payments: PaymentRecords;
  readonly connections: CommandConnections;
  readonly requests: VendorRequests;
}

/**
 * How long a request to move money may be repeated. Vendors keep an idempotency key for 24 h or more, and carry out the
 * request a second time then.
 */
const repeatableMs = 20 * 3_600_000;

type Result = Record<string, unknown>;

/**
 * The runs behind commands: each attempt asks the vendor once, and the run's end answers the command. A run whose
 * command moves money waits for the vendor's report, which ends it.
 */
export class CommandRun implements RunHandler {
  readonly delaysSeconds = [5, 30, 120, 600];
  readonly timeLimitSeconds = 60;
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  cancelScope(operation: string): Scope | undefined {
    return moneyCommands.some((type) => type === operation) ? "payments.write" : undefined;
  }

  async work(run: RunRecord, attempt: RunAttempt): Promise<Result | AwaitedOutcome> {
    const tenant = tenantWithId(run.tenantId);
    const id = commandOf(run);
    const command = id === undefined ? undefined : await this.#services.rows.open(tenant, id);
    if (!command)
      throw new DomainError("NOT_FOUND", { detail: "The command of the run has ended, or there was none." });
    if (command.told) return resultOf(command.told);
    try {
      return await this.#ask(tenant, command, run, attempt);
    } catch (error) {
      throw command.askedAt ? withDoubt(error) : error;
    }
  }

  async #ask(
    tenant: Tenant,
    command: OpenCommand,
    run: RunRecord,
    { signal, cause }: RunAttempt,
  ): Promise<Result | AwaitedOutcome> {
    const { connections, requests } = this.#services;
    const { commandId, expiresAt, isAwaited, askedAt } = command;
    if (!isAwaited && expiresAt && expiresAt.getTime() <= Date.now())
      throw new DomainError("COMMAND_EXPIRED", { detail: "The expirytime of the command has passed." });
    const commandConnection = await connections.find(tenant, command.connectionId);
    if (!commandConnection) throw new DomainError("CONNECTION_NOT_FOUND", { detail: "The connection was deleted." });
    const target = { tenant, cause, connection: commandConnection.connection, runId: run.runId, signal };
    if (isAwaited) return this.#askForOutcome(target, commandConnection, command);
    if (askedAt && Date.now() - askedAt.getTime() > repeatableMs)
      return this.#askInsteadOf(target, commandConnection, command);
    if (moneyCommands.includes(command.type)) return this.#moveMoney(target, commandConnection, command);
    failpoint("vendorCommand.calling");
    const result = await requests.send(target, commandConnection.provider.driver, command);
    failpoint("vendorCommand.called");
    return { commandId, ...result };
  }

  /** Asks the vendor to move money. Waits for its report unless the answer says that it is done. */
  async #moveMoney(
    target: VendorTarget,
    { provider }: CommandConnection,
    command: OpenCommand,
  ): Promise<Result | AwaitedOutcome> {
    const { payments, requests } = this.#services;
    const { tenant, cause } = target;
    const { commandId, askedAt } = command;
    const wasAsked = askedAt !== null;
    if (!wasAsked) await payments.markAsked(tenant, cause, commandId, true);
    failpoint("vendorCommand.calling");
    try {
      const { vendorId, outcome } = await requests.send(target, provider.driver, command);
      failpoint("vendorCommand.called");
      if (outcome != null && !failedOutcomes.has(outcome)) return resultOf({ outcome, vendorId, deliveryId: null });
      return new AwaitedOutcome(firstLook(canBeAsked(provider.driver, command)), { vendorId });
    } catch (error) {
      if (!wasAsked && didNothing(error)) await payments.markAsked(tenant, cause, commandId, false);
      throw error;
    }
  }

  /**
   * Asks the vendor for the outcome when the request is too old to be repeated. Throws OUTCOME_UNKNOWN where its answer
   * does not tell.
   */
  async #askInsteadOf(target: VendorTarget, { provider }: CommandConnection, command: OpenCommand): Promise<Result> {
    const outcome = await this.#services.requests.outcomeOf(target, provider.driver, command);
    if (!outcome)
      throw new DomainError("OUTCOME_UNKNOWN", {
        detail: `The vendor was asked more than ${repeatableMs / 3_600_000} h ago without an answer, and a repeated request could have a second effect.`,
      });
    return resultOf({ ...outcome, vendorId: command.vendorId, deliveryId: null });
  }

  /**
   * Asks the vendor for the outcome that it has not reported, and again later while it does not tell: an error in an
   * early look decides nothing. Throws RUN_TOO_LONG where the last answer does not tell.
   */
  async #askForOutcome(
    target: VendorTarget,
    { provider }: CommandConnection,
    command: OpenCommand,
  ): Promise<Result | AwaitedOutcome> {
    const { vendorId, askedAt } = command;
    const next = nextLook(askedAt, new Date(), canBeAsked(provider.driver, command));
    const outcome = await this.#services.requests
      .outcomeOf(target, provider.driver, command)
      .catch((error: unknown) => {
        if (next === undefined || target.signal?.aborted || !(error instanceof DomainError)) throw error;
        return undefined;
      });
    if (outcome) return resultOf({ ...outcome, vendorId, deliveryId: null });
    if (next !== undefined) return new AwaitedOutcome(next, { vendorId });
    throw new DomainError("RUN_TOO_LONG", {
      detail: `The vendor has not reported the outcome within ${lastLookSeconds / 3600} h, and does not tell it when it is asked.`,
    });
  }

  async waits(transaction: Transaction, run: RunRecord, facts: AwaitedOutcome["facts"]): Promise<RunEnd | undefined> {
    const commandId = commandOf(run);
    if (commandId === undefined) return undefined;
    const vendorId = typeof facts["vendorId"] === "string" ? facts["vendorId"] : null;
    const report = await this.#services.payments.awaitReport(transaction, commandId, vendorId);
    return report && endOf(report);
  }

  async ended(transaction: Transaction, run: RunRecord, runEnd: RunEnd): Promise<void> {
    const { rows } = this.#services;
    const commandId = commandOf(run);
    if (commandId === undefined) return;
    const type = commandsOf("integration").find((name) => name === run.operation) as VendorCommandType;
    const end = await this.#told(transaction, { commandId, type }, runEnd);
    const cause: Cause = { ...causeOfRun(run), causationId: commandId };
    const about = aboutCommand(run, { commandId, type });
    const { commandId: _, ...result } = end.result ?? {};
    const vendorReference = typeof result["vendorId"] === "string" ? result["vendorId"] : null;
    if (end.status === "Completed") {
      const providerId = await rows.end(transaction, commandId, { status: "Done", vendorReference });
      if (providerId !== undefined) recordDone(transaction, { ...about, providerId }, result, cause);
      return;
    }
    const error = { code: end.code, detail: end.detail };
    const state = stateOfFailure(type, error);
    const values = { status: state, errorCode: error.code, vendorReference };
    const providerId = await rows.end(transaction, commandId, values);
    if (providerId !== undefined)
      recordCommandFailure(transaction, { ...about, providerId }, { state, error, result }, cause);
  }

  /** A vendor's report counts more than the end that an attempt has reached meanwhile. */
  async #told(
    transaction: Transaction,
    { commandId, type }: { readonly commandId: string; readonly type: VendorCommandType },
    runEnd: RunEnd,
  ): Promise<RunEnd> {
    const report = moneyCommands.includes(type)
      ? await this.#services.payments.told(transaction, commandId)
      : undefined;
    return report ? endOf(report) : runEnd;
  }
}

/** The answer's members that come from the run. */
function aboutCommand(run: RunRecord, command: { readonly commandId: string; readonly type: VendorCommandType }) {
  const { runId, connectionId, projectId, payload } = run;
  const facts = (payload["facts"] ?? {}) as Readonly<Record<string, unknown>>;
  return { ...command, runId, connectionId: connectionId ?? "", projectId, facts };
}

/** The result for a run whose outcome the vendor has told. Throws VENDOR_REFUSED for a failure. */
function resultOf(report: ToldOutcome): Result {
  const end = endOf(report);
  if (end.status === "Completed") return end.result ?? {};
  throw new DomainError("VENDOR_REFUSED", { detail: end.detail });
}

/** Undefined for a run that was not started by a command. */
function commandOf({ payload: { commandId } }: RunRecord): string | undefined {
  return typeof commandId === "string" && decodeId("cmd", commandId) !== undefined ? commandId : undefined;
}
