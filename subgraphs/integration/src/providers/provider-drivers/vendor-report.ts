import type { CommandOf } from "@factory/schema/command-names";
import type { ReportedOutcome } from "@factory/schema/vocabularies/providers";

/** The outcomes that a vendor can report for commands, each with its command. */
export const commandOfOutcome = {
  EmailDelivered: "SendEmail",
  EmailBounced: "SendEmail",
  SmsDelivered: "SendSms",
  SmsFailed: "SendSms",
  PaymentCharged: "ChargePayment",
  PaymentFailed: "ChargePayment",
  PaymentRefunded: "RefundPayment",
  RefundFailed: "RefundPayment",
} as const satisfies Readonly<Record<ReportedOutcome, CommandOf<"integration">>>;

/** The outcomes for commands that were not carried out. */
export const failedOutcomes: ReadonlySet<ReportedOutcome> = new Set([
  "EmailBounced",
  "SmsFailed",
  "PaymentFailed",
  "RefundFailed",
]);

/** A vendor's event that tells how a command ended, which it names by one of the two values at least. */
export interface VendorReport {
  /** The vendor's event name, or its normalized name. */
  readonly event: string;
  readonly outcome: ReportedOutcome;
  /** The event is a report only where this value stands in its payload. */
  readonly when?: { readonly value: string; readonly equals: string };
  /** Where the vendor's id stands: `body:<JSON pointer>`. */
  readonly vendorId?: string;
  /** Where the command's id stands, which its request must have given to the vendor. */
  readonly commandId?: string;
}

/** The reports that an event with one of these names may be. */
export const reportsOf = (
  driver: { readonly webhook?: { readonly reports?: readonly VendorReport[] } } | undefined,
  ...names: readonly string[]
): readonly VendorReport[] => driver?.webhook?.reports?.filter(({ event }) => names.includes(event)) ?? [];
