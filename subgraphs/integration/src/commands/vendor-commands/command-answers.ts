import type { Cause } from "@factory/runtime/messages/envelope";
import type { RunError } from "@factory/runtime/runs/run-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { isRetryableCode, type RunEnd } from "../../runs/run-operations.js";
import type { VendorCommandState } from "./vendor-command.states.js";

interface Answers {
  readonly done: EventType;
  /** Absent: a command that the vendor refuses is reported as CommandDeadLettered. */
  readonly failed?: EventType;
}

const answers: Readonly<Record<VendorCommandType, Answers>> = {
  SendEmail: { done: "EmailSent", failed: "EmailFailed" },
  SendSms: { done: "SmsSent", failed: "SmsFailed" },
  SyncContact: { done: "ContactSynced" },
  OpenTicket: { done: "TicketOpened" },
  ChargePayment: { done: "PaymentCharged", failed: "PaymentFailed" },
  RefundPayment: { done: "PaymentRefunded" },
  CreateCheckoutSession: { done: "CheckoutSessionCreated" },
};

/** A command with what the events about it name. */
interface AnsweredCommand {
  readonly commandId: string;
  readonly type: VendorCommandType;
  readonly runId: string;
  readonly connectionId: string;
  readonly providerId: string;
  readonly projectId: string | null;
  /** Members in its data that its own events repeat. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** With these codes nobody knows whether the vendor has carried out the command. */
const unknownOutcomes = new Set(["OUTCOME_UNKNOWN", "RUN_TOO_LONG", "RUN_CANCELLED", "WORKER_DIED", "INTERNAL"]);

/** The state in which a command ends that was not carried out. */
export function stateOfFailure(type: VendorCommandType, { code }: RunError): VendorCommandState {
  if (code === "COMMAND_EXPIRED") return "Rejected";
  const isUnknown = unknownOutcomes.has(code) || isRetryableCode(code);
  return isUnknown || answers[type].failed === undefined ? "DeadLettered" : "Failed";
}

/** Records the one event that answers a command which the vendor has accepted. */
export function recordDone(
  { record }: Transaction,
  command: AnsweredCommand,
  result: Readonly<Record<string, unknown>>,
  cause: Cause,
): void {
  const { commandId, type, runId, connectionId, providerId, projectId, facts } = command;
  const data = { commandId, runId, connectionId, providerId, ...facts, ...result };
  record({ type: answers[type].done, subject: `runs/${runId}`, projectId, data }, cause);
}

interface FailedCommand {
  readonly state: VendorCommandState;
  readonly error: RunError;
  /** The facts that the vendor has told. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
}

/** Records the one event that answers a command which was not carried out, by the state in which it has ended. */
export function recordCommandFailure(
  transaction: Transaction,
  command: AnsweredCommand,
  { state, error, result }: FailedCommand,
  cause: Cause,
): void {
  const { commandId, type, runId, connectionId, providerId, projectId, facts } = command;
  const about = { subject: `runs/${runId}`, projectId };
  const { failed } = answers[type];
  if (state === "Rejected") recordRejection(transaction, { commandId, type }, error, cause);
  else if (state === "Failed" && failed !== undefined)
    transaction.record(
      { type: failed, ...about, data: { commandId, runId, connectionId, providerId, ...facts, ...result, error } },
      cause,
    );
  else
    transaction.record(
      { type: "CommandDeadLettered", ...about, data: { commandId, command: type, runId, connectionId, error } },
      cause,
    );
}

/** Records an outcome that the vendor has told after the command was given up. */
export function recordLateOutcome(transaction: Transaction, command: AnsweredCommand, end: RunEnd, cause: Cause): void {
  const { result = {} } = end;
  if (end.status === "Completed") recordDone(transaction, command, result, cause);
  else if (answers[command.type].failed !== undefined) {
    const error = { code: end.code, detail: end.detail };
    recordCommandFailure(transaction, command, { state: "Failed", error, result }, cause);
  }
}

/** Records that a command was not accepted. */
export function recordRejection(
  { record }: Transaction,
  { commandId, type }: Pick<AnsweredCommand, "commandId" | "type">,
  { code, detail }: RunError,
  cause: Cause,
): void {
  record(
    {
      type: "CommandRejected",
      subject: `commands/${commandId}`,
      data: { commandId, command: type, error: { code, detail } },
    },
    cause,
  );
}
