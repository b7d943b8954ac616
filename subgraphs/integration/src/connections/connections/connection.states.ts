import type { ConnectionStatus } from "@factory/schema/vocabularies/connections";
/** The states that a connection can have. A Disabled one becomes Active again only after a probe that passes. */
export const connectionStates = {
  Active: { next: ["Suspended", "AuthorizationRequired", "Disabled", "Deleted"] },
  Suspended: { next: ["Active", "Disabled", "Deleted"] },
  AuthorizationRequired: { next: ["Active", "Deleted"] },
  Disabled: { next: ["Active", "Deleted"] },
  Deleted: { next: [] },
} as const satisfies Record<ConnectionStatus, object>;

export type ConnectionState = ConnectionStatus;

/** The causes that are counted by day until a connection moves. Days are UTC dates such as 2026-11-23. */
export interface FailureDays {
  /** Failures while Unhealthy; those during a vendor's outage count once a day. */
  readonly strikes?: number;
  readonly lastOutageOn?: string | null;
  /** On how many different days the vendor gave no access token. */
  readonly refreshFailedDays?: number;
  readonly refreshFailedOn?: string | null;
}
