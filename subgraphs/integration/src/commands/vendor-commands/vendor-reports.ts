import type { RowOf } from "@factory/runtime/db/entity-rows";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";
import type { DeliveryHandler, OpenDelivery } from "../../deliveries/delivery-handling/delivery-handlers.js";
import { connectionsOfDelivery, isFromVendor } from "../../deliveries/delivery-handling/delivery-source.js";
import { moneyCommands, type VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import {
  commandOfOutcome,
  failedOutcomes,
  reportsOf,
  type VendorReport,
} from "../../providers/provider-drivers/vendor-report.js";
import type { RunService } from "../../runs/run.service.js";
import { valueInPayload } from "./answer-value.js";
import { recordLateOutcome } from "./command-answers.js";
import type { PaymentRecords } from "./payments/payment-records.js";
import { endOf } from "./payments/reported-end.js";
import { refusalCodeIn } from "./refusal-code.js";
import { reportedCommand } from "./reported-command-statement.js";
import type { VendorCommand } from "./vendor-command.entity.js";

/** A command that was sent has a connection and a run. */
interface ReportedRow extends RowOf<VendorCommand, "commandId" | "type" | "vendorReference"> {
  run_id: string;
  connection_id: string;
  facts: Record<string, unknown> | null;
  project_id: string | null;
  correlation_id: string;
  traceparent: string;
  requested_by: string | null;
}

const waitingCommand = {
  name: "vendor_command_waits",
  text: `select true as waits from vendor_commands
    where tenant_id = $1 and provider_id = $2 and status = 'Accepted' limit 1`,
};

/**
 * How often a report is tried that fits no command while a request to its provider is under way: the report may come
 * before the answer that carries the vendor's id. The attempts take 156 s together, and the last one settles the report
 * without a command.
 */
const patientAttempts = 4;

/** The outcomes that follow their command's answer. */
const laterOutcomes = ["EmailDelivered", "EmailBounced", "SmsDelivered", "SmsFailed"] as const;

interface ReportedCommand {
  readonly commandId: string;
  readonly type: VendorCommandType;
  readonly runId: string;
  readonly connectionId: string;
  readonly providerId: string;
  readonly projectId: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly cause: Cause;
}

/** A report as one delivery gives it. */
interface Told {
  readonly outcome: ReportedOutcome;
  readonly vendorId: string | null;
  readonly deliveryId: string;
  readonly eventName: string;
  /** The vendor's code for a failure, otherwise the event's name. */
  readonly reason: string;
}

/**
 * Reconciles vendors' reports with the commands that they tell about, and records their outcomes. A report counts only
 * for commands from the same tenant and provider, sent through a connection that shares its secret or account. A report
 * that fits no command is about something that the platform has not sent.
 */
export function reconcileReports(payments: PaymentRecords, runs: RunService): DeliveryHandler {
  return async (transaction, open) => {
    const { delivery, provider, payload } = open;
    const report = reportsOf(provider?.driver, delivery.event_name, delivery.normalized_event_type).find(
      ({ when }) => !when || valueInPayload(payload.value, when.value) === when.equals,
    );
    if (!report || !(await isFromVendor(transaction, delivery))) return false;
    const { outcome } = report;
    const type = commandOfOutcome[outcome];
    const { tenant_id: tenant, provider_id: providerUuid } = delivery;
    const [command, vendorId] = namesOf(report, open);
    const values = reportedCommand.valuesOf({
      ...{ tenant, provider: providerUuid, command, vendorId, type, inEveryState: moneyCommands.includes(type) },
      connections: await connectionsOfDelivery(transaction, delivery),
    });
    const [row] = await transaction.execute<ReportedRow>(reportedCommand, values);
    if (!row) {
      const [waiting] = await transaction.execute(waitingCommand, [tenant, providerUuid]);
      if (waiting && delivery.attempts < patientAttempts)
        throw new DomainError("UNAVAILABLE", { detail: "The command of this report may not have ended yet." });
      return false;
    }
    const matchedCommand = reportedCommandOf(row, providerUuid);
    const deliveryId = encodeId("whd", delivery.delivery_id);
    const { event_name: eventName } = delivery;
    const reason = refusalCodeIn(payload.value) ?? eventName;
    const outcomeReport = { outcome, vendorId: vendorId ?? row.vendor_reference, deliveryId, eventName, reason };
    if (moneyCommands.includes(row.type)) return settle(transaction, { payments, runs }, matchedCommand, outcomeReport);
    recordReport(transaction, matchedCommand, outcomeReport);
    return true;
  };
}

/** Records an outcome that follows its command's answer. */
function recordReport({ record }: Transaction, command: ReportedCommand, report: Told): void {
  const { commandId, runId, connectionId, providerId, projectId, cause } = command;
  const { outcome, vendorId, deliveryId, eventName, reason } = report;
  const type = laterOutcomes.find((candidate) => candidate === outcome);
  if (type === undefined) return;
  const detail = `The vendor reports "${eventName}"${reason === eventName ? "" : `: ${reason}`}.`;
  const error = failedOutcomes.has(outcome) && { error: { code: "VENDOR_REFUSED", detail } };
  const data = { commandId, runId, connectionId, providerId, vendorId, deliveryId, ...error };
  record({ type, subject: `runs/${runId}`, projectId, data }, cause);
}

/**
 * Answers a command that moves money by its vendor's first report: ends the run that waits for it, or leaves the report
 * to the attempt that is running. The run's lock comes before the command's, as everywhere.
 */
async function settle(
  transaction: Transaction,
  { payments, runs }: { readonly payments: PaymentRecords; readonly runs: RunService },
  command: ReportedCommand,
  report: Told,
): Promise<boolean> {
  const { commandId, runId } = command;
  const run = await runs.lockIn(transaction, runId);
  const notedReport = await payments.noteReport(transaction, commandId, report);
  if (!notedReport?.told) return false;
  const end = endOf({ ...notedReport.told, reason: report.reason });
  if (!notedReport.wasGivenUp) {
    await runs.settleIn(transaction, run, end);
    failpoint("vendorCommand.settled");
    return true;
  }
  await payments.settleLate(transaction, commandId, end.status === "Completed" ? null : end.code);
  recordLateOutcome(transaction, command, end, command.cause);
  return true;
}

function reportedCommandOf(row: ReportedRow, providerId: string): ReportedCommand {
  const commandId = encodeId("cmd", row.command_id);
  return {
    commandId,
    type: row.type,
    runId: encodeId("run", row.run_id),
    connectionId: encodeId("con", row.connection_id),
    providerId: encodeId("prv", providerId),
    projectId: row.project_id,
    facts: row.facts ?? {},
    cause: {
      trace: continueTrace(row.traceparent),
      correlationId: row.correlation_id,
      causationId: commandId,
      ...(row.requested_by === null ? {} : { actorId: row.requested_by }),
    },
  };
}

/** The command's id and the vendor's id; each is null where the report does not have it. */
function namesOf({ commandId, vendorId }: VendorReport, { payload }: OpenDelivery): [string | null, string | null] {
  const command = commandId === undefined ? null : valueInPayload(payload.value, commandId);
  const vendor = vendorId === undefined ? null : valueInPayload(payload.value, vendorId);
  return [command === null ? null : (decodeId("cmd", command) ?? null), vendor];
}
