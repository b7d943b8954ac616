import type { RunEnd } from "../../runs/run-operations.js";
import type { RunRecord } from "../../runs/run-record.js";
import type { ConnectionState } from "../connections/connection.states.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import type { Evidence, Finding, HealthRecord, RecentCalls } from "./health-machine.js";

/** The finding for a failed check, by its error's code. Other codes are defects in the platform and say nothing. */
const findings: Readonly<Record<string, Finding>> = {
  CREDENTIAL_REJECTED: "CredentialRejected",
  RATE_LIMITED: "RateLimited",
  UPSTREAM_FAILED: "Outage",
  UPSTREAM_TIMEOUT: "Outage",
  RUN_TOO_LONG: "Outage",
  TARGET_BLOCKED: "Refused",
  VALIDATION_FAILED: "Refused",
  AUTHORIZATION_REQUIRED: "Unauthorized",
  AUTH_MODE_NOT_SUPPORTED: "Unusable",
  CREDENTIAL_NOT_FOUND: "Unusable",
  CREDENTIAL_UNUSABLE: "Unusable",
  INVALID_STATE: "Unusable",
};

/** The result when a check has completed. */
export interface CheckResult extends Record<string, unknown> {
  /** False when there was nothing to ask the vendor. */
  readonly checked: boolean;
  readonly detail: string;
  /** The connection's state when the vendor was asked. */
  readonly statusBefore: ConnectionState;
  /** A mismatch that is allowed. */
  readonly warning?: string;
}

/** The evidence from an ended check. `refreshFailedAt` is the time when the vendor last gave no access token. */
export function evidenceOf(run: RunRecord, end: RunEnd, refreshFailedAt: Date | null): Evidence {
  const recentCalls = run.payload["recentCalls"] as RecentCalls | undefined;
  const enable = run.payload["enable"] === true;
  const finding = findingOf(end);
  const refreshFailed = refreshFailedAt !== null && finding === "Outage";
  const isAuthorized = run.payload["authorized"] === true;
  const detail = "detail" in end && end.code !== "RUN_TOO_LONG" ? end.detail : undefined;
  const uncheckable = end.status === "Completed" && finding === "Nothing";
  const wasActive = end.status === "Completed" && end.result?.["statusBefore"] === "Active";
  return {
    finding: refreshFailed ? "TokenRefreshFailed" : finding,
    recentCalls,
    enable,
    uncheckable,
    wasActive,
    authorized: isAuthorized,
    detail,
  };
}

function findingOf(end: RunEnd): Finding {
  if (end.status === "Completed") return end.result?.["checked"] === true ? "Passed" : "Nothing";
  return end.status === "Cancelled" ? "Nothing" : (findings[end.code] ?? "Nothing");
}

/** Inside a transaction, times are text. */
const timeOf = (time: Date | null) => (time === null ? null : new Date(time));

/** The part that decides a connection's health. */
export function healthRecordOf(connection: ConnectionRecord): HealthRecord {
  const { failureDays } = connection;
  return {
    status: connection.status,
    health: connection.health,
    establishedAt: new Date(connection.establishedAt),
    lastCheckedAt: timeOf(connection.lastCheckedAt),
    consecutiveFailures: connection.consecutiveFailures,
    consecutiveSuccesses: connection.consecutiveSuccesses,
    consecutiveRejections: connection.consecutiveRejections,
    failingSince: timeOf(connection.failingSince),
    strikes: failureDays.strikes ?? 0,
    lastOutageOn: failureDays.lastOutageOn ?? null,
    refreshFailedDays: failureDays.refreshFailedDays ?? 0,
    refreshFailedOn: failureDays.refreshFailedOn ?? null,
  };
}
