import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { DeliveryHandler, OpenDelivery } from "../delivery-handling/delivery-handlers.js";
import type { VendorCommandType } from "../provider-drivers/command-template.js";
import { type ReportedOutcome, reportOf, type VendorReport } from "../provider-drivers/vendor-report.js";
import { valueInPayload } from "./answer-value.js";
import { reportedCommand } from "./reported-command-statement.js";

interface ReportedRow {
  command_id: string;
  type: VendorCommandType;
  run_id: string;
  connection_id: string;
  vendor_reference: string | null;
  project_id: string | null;
  correlation_id: string;
  traceparent: string;
  requested_by: string | null;
}

/** The command of each outcome. */
const commandOf: ReadonlyMap<ReportedOutcome, VendorCommandType> = new Map([
  ["EmailDelivered", "SendEmail"],
  ["EmailBounced", "SendEmail"],
  ["SmsDelivered", "SendSms"],
  ["SmsFailed", "SendSms"],
]);
const failures: readonly ReportedOutcome[] = ["EmailBounced", "SmsFailed"];

const waitingCommand = {
  name: "vendor_command_waits",
  text: `select true as waits from vendor_commands
    where tenant_id = $1 and provider_id = $2 and status = 'Accepted' limit 1`,
};

/** A report may be faster than the answer to the request, so it is tried so often again. */
const patientAttempts = 2;

/**
 * Reconciles the report of a vendor with the command that it tells of, and records its outcome. A report counts only for
 * commands of the same tenant and provider. One that fits no command is none of the platform's.
 */
export const reconcileReport: DeliveryHandler = async (transaction, open) => {
  const { delivery, provider } = open;
  const report = reportOf(provider?.driver, delivery.event_name, delivery.normalized_event_type);
  if (!report) return false;
  const owner = [delivery.tenant_id, delivery.provider_id];
  const [row] = await transaction.execute<ReportedRow>(reportedCommand, [...owner, ...namesOf(report, open)]);
  if (!row) {
    const [waiting] = await transaction.execute(waitingCommand, owner);
    if (waiting && delivery.attempts < patientAttempts)
      throw new DomainError("UNAVAILABLE", { detail: "The command of this report may not have ended yet." });
    return false;
  }
  const { outcome } = report;
  if (commandOf.get(outcome) !== row.type) return false;
  const commandId = encodeId("cmd", row.command_id);
  const runId = encodeId("run", row.run_id);
  const detail = `The vendor reports "${delivery.event_name}".`;
  const cause: Cause = {
    trace: continueTrace(row.traceparent),
    correlationId: row.correlation_id,
    causationId: commandId,
    ...(row.requested_by === null ? {} : { actorId: row.requested_by }),
  };
  transaction.record(
    {
      type: outcome,
      subject: `runs/${runId}`,
      projectId: row.project_id,
      data: {
        commandId,
        runId,
        connectionId: encodeId("con", row.connection_id),
        providerId: encodeId("prv", delivery.provider_id),
        vendorId: row.vendor_reference,
        deliveryId: encodeId("whd", delivery.delivery_id),
        ...(failures.includes(outcome) && { error: { code: "VENDOR_REFUSED", detail } }),
      },
    },
    cause,
  );
  return true;
};

/** The id of the command and the id of the vendor; each is null where the report does not have it. */
function namesOf({ commandId, vendorId }: VendorReport, { payload }: OpenDelivery): (string | null)[] {
  const command = commandId === undefined ? null : valueInPayload(payload.value, commandId);
  const vendor = vendorId === undefined ? null : valueInPayload(payload.value, vendorId);
  return [command === null ? null : (decodeId("cmd", command) ?? null), vendor];
}
