/** The states of a command to a vendor. `Done`: the vendor has accepted it. */
export const vendorCommandStates = {
  Accepted: { next: ["Done", "Failed", "Rejected", "DeadLettered"] },
  Done: { next: [] },
  Failed: { next: [] },
  Rejected: { next: [] },
  DeadLettered: { next: [] },
} as const;

/** A state of a command to a vendor. */
export type VendorCommandState = keyof typeof vendorCommandStates;
