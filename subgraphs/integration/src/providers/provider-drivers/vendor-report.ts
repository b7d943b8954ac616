import type { CommandOf } from "@factory/schema/command-names";

/** The outcomes of commands that a vendor can report, with the command of each one. */
export const commandOfOutcome = {
  EmailDelivered: "SendEmail",
  EmailBounced: "SendEmail",
  SmsDelivered: "SendSms",
  SmsFailed: "SendSms",
  PaymentCharged: "ChargePayment",
  PaymentFailed: "ChargePayment",
  PaymentRefunded: "RefundPayment",
  RefundFailed: "RefundPayment",
} as const satisfies Readonly<Record<string, CommandOf<"integration">>>;

/** The outcome of a command that a vendor can report. */
export type ReportedOutcome = keyof typeof commandOfOutcome;

export const reportedOutcomes = Object.keys(commandOfOutcome) as readonly ReportedOutcome[];

/** The outcomes of commands that were not carried out. */
export const failedOutcomes: ReadonlySet<ReportedOutcome> = new Set([
  "EmailBounced",
  "SmsFailed",
  "PaymentFailed",
  "RefundFailed",
]);

/** An event of a vendor that tells the outcome of a command, which it names by one of the two values at least. */
export interface VendorReport {
  /** The event name of the vendor, or its normalized name. */
  readonly event: string;
  readonly outcome: ReportedOutcome;
  /** The event is a report only where this value stands in its payload. */
  readonly when?: { readonly value: string; readonly equals: string };
  /** The place of the vendor's id: `body:<JSON pointer>`. */
  readonly vendorId?: string;
  /** The place of the id of the command, which its request must have given to the vendor. */
  readonly commandId?: string;
}

/** The reports that an event with one of these names may be. */
export const reportsOf = (
  driver: { readonly webhook?: { readonly reports?: readonly VendorReport[] } } | undefined,
  ...names: readonly string[]
): readonly VendorReport[] => driver?.webhook?.reports?.filter(({ event }) => names.includes(event)) ?? [];
