/**
 * The states that a command to a vendor has. `Awaited`: the vendor has accepted it and will report the outcome. `Done`:
 * the vendor has accepted it, or has told that it was carried out. A report may come after a command was given up.
 */
const vendorCommandStates = {
  Accepted: { next: ["Awaited", "Done", "Failed", "Rejected", "DeadLettered"] },
  Awaited: { next: ["Done", "Failed", "DeadLettered"] },
  Done: { next: [] },
  Failed: { next: [] },
  Rejected: { next: [] },
  DeadLettered: { next: ["Done", "Failed"] },
} as const;

/** The state that a command to a vendor is in. */
export type VendorCommandState = keyof typeof vendorCommandStates;
