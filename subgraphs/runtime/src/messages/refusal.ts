import type { Principal } from "../auth/principal.js";
import type { Trace } from "../telemetry/trace.js";
import type { AuditRecord, Origin } from "./audit-record.js";

/** A request that the platform refused. */
export interface Refusal extends Pick<AuditRecord, "operation"> {
  readonly code: string;
  readonly status: number;
  readonly trace: Trace;
  /** The tenant whose log gets the refusal; absent: the principal's tenant, otherwise the platform tenant. */
  readonly tenantId?: string | undefined;
  readonly principal?: Principal | undefined;
  /** A client that is known, but has not proven who it is. */
  readonly clientId?: string | undefined;
  readonly origin?: Origin | undefined;
  readonly subject?: string | undefined;
  readonly email?: string | undefined;
}

/** Takes refusals for the audit log. It returns at once and never throws. */
export interface RefusalSink {
  note(refusal: Refusal): void;
}

const auditedStatuses = new Set([401, 403, 409, 422]);

/** Whether the audit log has refusals with this HTTP status. */
export const isAuditedStatus = (status: unknown): status is number =>
  typeof status === "number" && auditedStatuses.has(status);

/** A sink that drops all refusals, for a subgraph that runs without the platform. */
export const unauditedRefusals: RefusalSink = { note: () => undefined };
