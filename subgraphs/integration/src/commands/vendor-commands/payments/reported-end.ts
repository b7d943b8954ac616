import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";
import { failedOutcomes } from "../../../providers/provider-drivers/vendor-report.js";
import type { RunEnd } from "../../../runs/run-operations.js";

/** A command's outcome as its vendor has told it. */
export interface ToldOutcome {
  readonly outcome: ReportedOutcome;
  readonly vendorId: string | null;
  /** The delivery that has told it. Null where the vendor was asked. */
  readonly deliveryId: string | null;
  /** The vendor's code or word for a failure. */
  readonly reason?: string | null;
}

/** The run's end for a command whose outcome the vendor has told. */
export function endOf({ outcome, vendorId, deliveryId, reason = null }: ToldOutcome): RunEnd {
  const result = { vendorId, ...(deliveryId !== null && { deliveryId }) };
  if (!failedOutcomes.has(outcome)) return { status: "Completed", result };
  const detail = `The vendor tells that it was not done${reason === null ? "." : `: ${reason}.`}`;
  return { status: "Failed", code: "VENDOR_REFUSED", detail, result };
}
