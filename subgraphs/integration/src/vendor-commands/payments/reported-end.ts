import { failedOutcomes, type ReportedOutcome } from "../../provider-drivers/vendor-report.js";
import type { RunEnd } from "../../runs/run-operations.js";

/** The outcome of a command as its vendor has told it. */
export interface ToldOutcome {
  readonly outcome: ReportedOutcome;
  readonly vendorId: string | null;
  /** The delivery that has told it. Null where the vendor was asked. */
  readonly deliveryId: string | null;
}

/** The end of the run of a command whose outcome the vendor has told. */
export function endOf({ outcome, vendorId, deliveryId }: ToldOutcome): RunEnd {
  const result = { vendorId, ...(deliveryId !== null && { deliveryId }) };
  if (!failedOutcomes.has(outcome)) return { status: "Completed", result };
  return { status: "Failed", code: "VENDOR_REFUSED", detail: "The vendor tells that it was not done.", result };
}
