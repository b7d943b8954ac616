import type { ConnectionHealth } from "@factory/schema/vocabularies/connections";
import type { ConnectionState, FailureDays } from "../connections/connection.states.js";

/** A connection's calls within the last five minutes, as one process saw them. */
export interface RecentCalls {
  readonly calls: number;
  /** Calls that ended with a server error, too late, or without an answer. */
  readonly errors: number;
  readonly rateLimited: number;
  readonly rejected: number;
}

/**
 * A run's evidence. `Nothing` means that the vendor was not asked, because the connection has nothing to check.
 * `Unusable` is a connection that the platform cannot use, for example because its credential was revoked;
 * `Unauthorized` one that nobody has authorized. The vendor was asked in neither case. `Outage` is a vendor that
 * answers with an error, too late, or not at all. `Refused` is a connection whose settings allow no call.
 */
export type Finding =
  | "Passed"
  | "Nothing"
  | "Unusable"
  | "Unauthorized"
  | "RateLimited"
  | "Outage"
  | "Refused"
  | "TokenRefreshFailed"
  | "CredentialRejected";

export interface Evidence {
  readonly finding: Finding;
  readonly recentCalls?: RecentCalls | undefined;
  /** The operator wants to enable a Disabled connection. */
  readonly enable?: boolean | undefined;
  /** The connection has nothing that could be checked. */
  readonly uncheckable?: boolean | undefined;
  /** The connection was Active when the vendor was asked. */
  readonly wasActive?: boolean | undefined;
  /** A person has authorized the connection, so what the vendor said before counts no more. */
  readonly authorized?: boolean | undefined;
  /** Why the check failed, in a sentence. */
  readonly detail?: string | undefined;
}

/** The members that decide a connection's health. */
export interface HealthRecord extends Required<FailureDays> {
  readonly status: ConnectionState;
  readonly health: ConnectionHealth;
  readonly establishedAt: Date;
  /** When the last evidence came. */
  readonly lastCheckedAt: Date | null;
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
  readonly consecutiveRejections: number;
  /** The time since which the connection is Unhealthy without a break. */
  readonly failingSince: Date | null;
}

export interface Verdict {
  readonly record: HealthRecord;
  /** Why the health is another one, in a sentence. */
  readonly healthReason: string | undefined;
  readonly move: { readonly to: "Active" | "AuthorizationRequired" | "Disabled"; readonly reason: string } | undefined;
}

const limits = {
  failuresUntilUnhealthy: 3,
  successesUntilHealthy: 2,
  rejections: 2,
  minCalls: 10,
  errorRate: 0.2,
  silentIntervals: 2,
  daysUntilDisabled: 7,
  refreshFailedDays: 4,
};

const dayMs = 86_400_000;

/** Applies a run's finding to its connection's health, and decides whether the connection moves. */
export function judge(before: HealthRecord, allEvidence: Evidence, now: Date, intervalMs: number): Verdict {
  const evidence =
    allEvidence.finding === "Nothing"
      ? { ...allEvidence, finding: findingOfCalls(allEvidence.recentCalls) }
      : allEvidence;
  const { finding } = evidence;
  if (finding === "Nothing") return { ...silence(before, now, intervalMs), move: moveUnchecked(before, evidence) };
  if (finding === "Unusable" || finding === "Unauthorized") return unchecked(before, { ...evidence, finding });
  const countedRecord = count(before, finding, now);
  const [health, healthReason] = healthAfter(countedRecord, { ...evidence, finding });
  const failing = failingAfter(countedRecord, health, finding, now);
  const record = { ...countedRecord, ...failing, health, lastCheckedAt: now };
  return {
    record,
    healthReason: health === before.health ? undefined : healthReason,
    move: moveAfter(record, evidence, now),
  };
}

/** The finding from ordinary calls, for a check that itself found nothing out. */
function findingOfCalls(calls: RecentCalls | undefined): Finding {
  if (!calls || calls.calls === 0) return "Nothing";
  if (calls.rejected > 0) return "CredentialRejected";
  return calls.errors === calls.calls ? "Outage" : "Passed";
}

/** Without evidence within two intervals nothing is known. The counters begin anew with the next evidence. */
function silence(record: HealthRecord, now: Date, intervalMs: number): Omit<Verdict, "move"> {
  const since = record.lastCheckedAt ?? record.establishedAt;
  const silent = now.getTime() - since.getTime() >= limits.silentIntervals * intervalMs;
  if (!silent || record.health === "Unknown") return { record, healthReason: undefined };
  const healthReason = `The connection gave no evidence since ${since.toISOString()}.`;
  return { record: unknownHealth(record), healthReason };
}

/** The vendor was not asked, for a cause that lies in the connection. Earlier evidence does not count any more. */
function unchecked(
  record: HealthRecord,
  { finding, detail = "The connection cannot be used." }: Evidence & { finding: "Unusable" | "Unauthorized" },
): Verdict {
  const isLost = finding === "Unauthorized" && record.status === "Active";
  const move = isLost ? ({ to: "AuthorizationRequired", reason: detail } as const) : undefined;
  return { record: unknownHealth(record), healthReason: detail, move };
}

const unknownHealth = (record: HealthRecord): HealthRecord => ({
  ...record,
  health: "Unknown",
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  consecutiveRejections: 0,
  failingSince: null,
  strikes: 0,
  lastOutageOn: null,
});

/** The finding when the vendor was asked. */
type Answered = Exclude<Finding, "Nothing" | "Unusable" | "Unauthorized">;

/** Counts results in a row. An outage says nothing about the credential, so it does not end a series of rejections. */
function count(record: HealthRecord, finding: Answered, now: Date): HealthRecord {
  if (finding === "RateLimited") return { ...record, consecutiveSuccesses: 0 };
  if (finding === "Passed")
    return {
      ...record,
      consecutiveFailures: 0,
      consecutiveSuccesses: record.consecutiveSuccesses + 1,
      consecutiveRejections: 0,
      refreshFailedDays: 0,
      refreshFailedOn: null,
    };
  const consecutiveRejections =
    finding === "CredentialRejected"
      ? record.consecutiveRejections + 1
      : finding === "Refused"
        ? 0
        : record.consecutiveRejections;
  const failedRecord = {
    ...record,
    consecutiveFailures: record.consecutiveFailures + 1,
    consecutiveSuccesses: 0,
    consecutiveRejections,
  };
  const today = dayOf(now);
  if (finding !== "TokenRefreshFailed" || record.refreshFailedOn === today) return failedRecord;
  return { ...failedRecord, refreshFailedDays: record.refreshFailedDays + 1, refreshFailedOn: today };
}

type Health = readonly [health: ConnectionHealth, reason: string];

function healthAfter(record: HealthRecord, evidence: Evidence & { finding: Answered }): Health {
  const { finding, recentCalls } = evidence;
  if (finding === "Passed") {
    const health = evidence.authorized === true ? "Unknown" : record.health;
    return healthAfterSuccess({ ...record, health }, recentCalls);
  }
  if (finding === "RateLimited") return degrade(record.health, "The vendor limits the rate of calls (429).");
  const isDetailed = finding === "Outage" || finding === "Refused";
  const reason = (isDetailed ? evidence.detail : undefined) ?? failureReasons[finding];
  if (record.health === "Unknown") return ["Degraded", reason];
  if (record.consecutiveRejections >= limits.rejections)
    return ["Unhealthy", `The vendor rejected the credential ${record.consecutiveRejections} times in a row.`];
  if (record.consecutiveFailures >= limits.failuresUntilUnhealthy)
    return ["Unhealthy", `${reason} ${record.consecutiveFailures} checks in a row failed.`];
  return degrade(record.health, reason);
}

function healthAfterSuccess(record: HealthRecord, recentCalls: RecentCalls | undefined): Health {
  if (recentCalls && recentCalls.rateLimited > 0)
    return degrade(record.health, "The vendor limits the rate of calls (429).");
  if (recentCalls && hasManyErrors(recentCalls))
    return degrade(
      record.health,
      `${recentCalls.errors} of ${recentCalls.calls} calls within 5 minutes ended with an error.`,
    );
  const passReason = "The vendor accepted the connection.";
  if (record.health === "Unhealthy") return ["Degraded", passReason];
  if (record.health === "Degraded" && record.consecutiveSuccesses < limits.successesUntilHealthy)
    return ["Degraded", passReason];
  return ["Healthy", passReason];
}

/** An Unhealthy connection stays so. */
const degrade = (health: ConnectionHealth, reason: string): Health => [
  health === "Unhealthy" ? "Unhealthy" : "Degraded",
  reason,
];

const failureReasons = {
  Outage: "The vendor does not answer, or answers with a server error.",
  Refused: "The vendor refused the check.",
  TokenRefreshFailed: "The vendor gave no access token.",
  CredentialRejected: "The vendor rejected the credential.",
};

/** True when the error rate in the last five minutes makes a connection Degraded. */
export function hasManyErrors({ calls, errors }: Pick<RecentCalls, "calls" | "errors">): boolean {
  return calls >= limits.minCalls && errors >= calls * limits.errorRate;
}

/**
 * Counts the strikes towards Disabled. A vendor's outage is at most one strike a day, so that the vendor's bad day
 * disables nothing.
 */
function failingAfter(record: HealthRecord, health: ConnectionHealth, finding: Answered, now: Date) {
  if (health !== "Unhealthy") return { failingSince: null, strikes: 0, lastOutageOn: null };
  const { failingSince, strikes, lastOutageOn } = record;
  const since = failingSince ?? now;
  if (finding === "RateLimited" || finding === "Passed") return { failingSince: since, strikes, lastOutageOn };
  const outage = finding === "Outage" || finding === "TokenRefreshFailed";
  const today = dayOf(now);
  if (outage && lastOutageOn === today) return { failingSince: since, strikes, lastOutageOn };
  return { failingSince: since, strikes: strikes + 1, lastOutageOn: outage ? today : lastOutageOn };
}

/** A connection without anything to check would stay Disabled for ever, if a probe had to pass first. */
function moveUnchecked({ status }: HealthRecord, { enable, uncheckable }: Evidence): Verdict["move"] {
  if (status !== "Disabled" || enable !== true || uncheckable !== true) return undefined;
  return { to: "Active", reason: "The operator enabled the connection, which has nothing to check." };
}

function moveAfter(record: HealthRecord, { finding, enable, wasActive }: Evidence, now: Date): Verdict["move"] {
  // A check that began before the authorization was lost does not bring it back.
  if (finding === "Passed" && record.status === "AuthorizationRequired" && wasActive !== true)
    return { to: "Active", reason: "The vendor accepted the credential." };
  if (finding === "Passed" && record.status === "Disabled" && enable === true)
    return { to: "Active", reason: "The operator enabled the connection, and the vendor accepted it." };
  if (record.status !== "Active") return undefined;
  if (record.consecutiveRejections >= limits.rejections)
    return { to: "AuthorizationRequired", reason: "The vendor rejected the credential twice in a row." };
  if (record.refreshFailedDays >= limits.refreshFailedDays)
    return { to: "AuthorizationRequired", reason: "The vendor gave no access token on four different days." };
  const { failingSince, strikes } = record;
  const failingMs = failingSince ? now.getTime() - failingSince.getTime() : 0;
  if (failingMs >= limits.daysUntilDisabled * dayMs && strikes >= limits.daysUntilDisabled)
    return { to: "Disabled", reason: "The connection was Unhealthy for 7 days." };
  return undefined;
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
