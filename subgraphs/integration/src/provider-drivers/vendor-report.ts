/** The outcomes of commands that a vendor can report. */
export const reportedOutcomes = ["EmailDelivered", "EmailBounced", "SmsDelivered", "SmsFailed"] as const;

/** The outcome of a command that a vendor can report. */
export type ReportedOutcome = (typeof reportedOutcomes)[number];

/** An event of a vendor that tells the outcome of a command. It names the command by one of the two values. */
export interface VendorReport {
  /** The event name of the vendor, or its normalized name. */
  readonly event: string;
  readonly outcome: ReportedOutcome;
  /** The place of the vendor's id: `body:<JSON pointer>`. */
  readonly vendorId?: string;
  /** The place of the id of the command, which its request must have given to the vendor. */
  readonly commandId?: string;
}

/** The report that an event with one of these names is. */
export const reportOf = (
  driver: { readonly webhook?: { readonly reports?: readonly VendorReport[] } } | undefined,
  ...names: readonly string[]
): VendorReport | undefined => driver?.webhook?.reports?.find(({ event }) => names.includes(event));
