import type { ConnectionHealth } from "@factory/schema/vocabularies/connections";
import type { ConnectionState } from "../connections/connection.states.js";
import { type Evidence, type Finding, type HealthRecord, judge } from "./health-machine.js";

const now = new Date("2026-11-23T12:00:00Z");
const intervalMs = 300_000;
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const days = (count: number) => minutes(count * 1440);

const fresh: HealthRecord = {
  status: "Active",
  health: "Healthy",
  establishedAt: days(-30),
  lastCheckedAt: minutes(-5),
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  consecutiveRejections: 0,
  failingSince: null,
  strikes: 0,
  lastOutageOn: null,
  refreshFailedDays: 0,
  refreshFailedOn: null,
};

/** The findings, one each five minutes, beginning with the given record. */
function after(findings: readonly (Finding | Evidence)[], start: Partial<HealthRecord> = {}, stepMinutes = 5) {
  let verdict = judge({ ...fresh, ...start }, evidenceOf(findings[0] ?? "Nothing"), now, intervalMs);
  for (const [index, finding] of findings.slice(1).entries())
    verdict = judge(verdict.record, evidenceOf(finding), minutes((index + 1) * stepMinutes), intervalMs);
  return verdict;
}
const evidenceOf = (finding: Finding | Evidence) => (typeof finding === "string" ? { finding } : finding);
const withCalls = (calls: number, errors: number, rateLimited = 0): Evidence => ({
  finding: "Passed",
  recentCalls: { calls, errors, rateLimited, rejected: 0 },
});

type Row = [
  rule: string,
  from: ConnectionHealth,
  findings: (Finding | Evidence)[],
  to: ConnectionHealth,
  start?: Partial<HealthRecord>,
];
const onlyCalls = (calls: number, errors: number, rejections = 0): Evidence => ({
  ...withCalls(calls, errors),
  finding: "Nothing",
  recentCalls: { calls, errors, rateLimited: 0, rejected: rejections },
});
const failing = { consecutiveFailures: 3, failingSince: minutes(-60), strikes: 1 };

describe("the health of a connection", () => {
  const rows: Row[] = [
    ["1 failed probe", "Healthy", ["Outage"], "Degraded"],
    ["1 refused probe", "Healthy", ["Refused"], "Degraded"],
    ["2 failed probes", "Healthy", ["Outage", "Outage"], "Degraded"],
    ["3 failed probes in a row", "Healthy", ["Outage", "Refused", "TokenRefreshFailed"], "Unhealthy"],
    ["failures with a success between", "Degraded", ["Outage", "Outage", "Passed", "Outage"], "Degraded"],
    ["20 % errors of 10 calls", "Healthy", [withCalls(10, 2)], "Degraded"],
    ["19 % errors of 100 calls", "Healthy", [withCalls(100, 19)], "Healthy"],
    ["errors of 9 calls", "Healthy", [withCalls(9, 9)], "Healthy"],
    ["a 429 of a call", "Healthy", [withCalls(100, 1, 1)], "Degraded"],
    ["a 429 of the probe", "Healthy", ["RateLimited"], "Degraded"],
    ["three 429s of probes", "Healthy", ["RateLimited", "RateLimited", "RateLimited"], "Degraded"],
    ["1 success", "Degraded", ["Passed"], "Degraded"],
    ["2 successes in a row", "Degraded", ["Passed", "Passed"], "Healthy"],
    ["2 successes with a 429 between", "Degraded", ["Passed", "RateLimited", "Passed"], "Degraded"],
    ["2 successes and calls that fail", "Degraded", ["Passed", withCalls(50, 30)], "Degraded"],
    ["1 rejected credential", "Healthy", ["CredentialRejected"], "Degraded"],
    ["2 rejections in a row", "Healthy", ["CredentialRejected", "CredentialRejected"], "Unhealthy"],
    [
      "2 rejections with an outage between",
      "Healthy",
      ["CredentialRejected", "Outage", "CredentialRejected"],
      "Unhealthy",
    ],
    [
      "2 rejections with a success between",
      "Healthy",
      ["CredentialRejected", "Passed", "CredentialRejected"],
      "Degraded",
    ],
    ["1 rejection after a rejection", "Healthy", ["CredentialRejected"], "Unhealthy", { consecutiveRejections: 1 }],
    ["1 success", "Unhealthy", ["Passed"], "Degraded", failing],
    ["2 successes", "Unhealthy", ["Passed", "Passed"], "Healthy", failing],
    ["another failure", "Unhealthy", ["Outage"], "Unhealthy", failing],
    ["a 429", "Unhealthy", ["RateLimited"], "Unhealthy", failing],
    ["1 success", "Unknown", ["Passed"], "Healthy"],
    ["1 failure", "Unknown", ["Outage"], "Degraded"],
    ["1 rejection", "Unknown", ["CredentialRejected"], "Degraded"],
    ["nothing to say within two intervals", "Healthy", ["Nothing"], "Healthy", { lastCheckedAt: minutes(-9) }],
    ["no evidence for two intervals", "Healthy", ["Nothing"], "Unknown", { lastCheckedAt: minutes(-10) }],
    ["no evidence for two intervals", "Degraded", ["Nothing"], "Unknown", { lastCheckedAt: minutes(-10) }],
    ["no evidence for two intervals", "Unhealthy", ["Nothing"], "Unknown", { ...failing, lastCheckedAt: minutes(-10) }],
    ["no evidence since it was established", "Healthy", ["Nothing"], "Unknown", { lastCheckedAt: null }],
    ["calls without a probe", "Unknown", [onlyCalls(3, 1)], "Healthy"],
    ["only failed calls without a probe", "Healthy", [onlyCalls(3, 3)], "Degraded"],
    ["rejected calls without a probe", "Healthy", [onlyCalls(3, 0, 1), onlyCalls(3, 0, 1)], "Unhealthy"],
    [
      "failures before and after Unknown",
      "Degraded",
      ["Nothing", "Outage", "Outage"],
      "Degraded",
      { consecutiveFailures: 2, lastCheckedAt: minutes(-10) },
    ],
  ];
  it.each(rows)("after %s: %s, %j → %s", (...row) => {
    const [, health, findings, to, start] = row;
    const { record } = after(findings, { health, ...start });
    expect(record.health).toBe(to);
  });

  it.each(rows)("tells a reason exactly when it changes (%s: %s, %j → %s)", (...row) => {
    const [, health, findings, , start] = row;
    const before = findings.length > 1 ? after(findings.slice(0, -1), { health, ...start }).record.health : health;
    const { record, healthReason } = after(findings, { health, ...start });
    expect(healthReason !== undefined).toBe(record.health !== before);
  });

  it("is Unknown at once, with its cause, when the connection itself cannot be used", () => {
    const detail = "The credential is Revoked.";
    const { record, healthReason, move } = after([{ finding: "Unusable", detail }], { lastCheckedAt: null });
    expect(record).toMatchObject({ health: "Unknown", lastCheckedAt: null, consecutiveFailures: 0 });
    expect(healthReason).toBe(detail);
    expect(move).toBeUndefined();
  });

  it("has the detail of a failed check as its reason", () => {
    const detail = "The vendor answered the probe with the status 404.";
    expect(after([{ finding: "Outage", detail }]).healthReason).toBe(detail);
  });

  it("is Healthy at once when the vendor accepts a new authorization", () => {
    const before = { health: "Unhealthy", consecutiveRejections: 2 } as const;
    expect(after([{ finding: "Passed", authorized: true }], before).record.health).toBe("Healthy");
  });

  it("keeps the time of the last evidence when a run found nothing out", () => {
    expect(after(["Nothing"]).record.lastCheckedAt).toEqual(minutes(-5));
    expect(after(["Outage"]).record.lastCheckedAt).toEqual(now);
  });
});

describe("a connection whose authorization is lost", () => {
  it("moves after two rejections, and not again when it has moved", () => {
    expect(after(["CredentialRejected"]).move).toBeUndefined();
    expect(after(["CredentialRejected", "CredentialRejected"]).move).toMatchObject({ to: "AuthorizationRequired" });
    const movedRecord = { status: "AuthorizationRequired", consecutiveRejections: 2 } as const;
    expect(after(["CredentialRejected"], movedRecord).move).toBeUndefined();
  });

  it("moves after failed refreshes on four different days, however many there are in one day", () => {
    const day = 1440;
    const refresh = (count: number) => Array.from({ length: count }, (): Finding => "TokenRefreshFailed");
    expect(after(refresh(40)).record.refreshFailedDays).toBe(1);
    expect(after(refresh(3), {}, day).move).toBeUndefined();
    expect(after(refresh(4), {}, day).move).toMatchObject({ to: "AuthorizationRequired" });
    expect(after([...refresh(3), "Passed", "TokenRefreshFailed"], {}, day).move).toBeUndefined();
  });

  it("moves at once when nobody has authorized it, and nothing is known about its health", () => {
    const detail = "The connection is not authorized yet.";
    const { record, healthReason, move } = after([{ finding: "Unauthorized", detail }], { lastCheckedAt: null });
    expect(move).toEqual({ to: "AuthorizationRequired", reason: detail });
    expect(record).toMatchObject({ health: "Unknown", lastCheckedAt: null, consecutiveRejections: 0 });
    expect(healthReason).toBe(detail);
    const movedRecord = { status: "AuthorizationRequired" } as const;
    expect(after([{ finding: "Unauthorized", detail }], movedRecord).move).toBeUndefined();
  });

  it("is Active again when the vendor accepts it", () => {
    const lostRecord = { status: "AuthorizationRequired", health: "Unhealthy", consecutiveRejections: 2 } as const;
    const { record, move } = after(["Passed"], lostRecord);
    expect(move).toMatchObject({ to: "Active" });
    expect(record).toMatchObject({ health: "Degraded", consecutiveRejections: 0 });
  });
});

describe("a connection that is Unhealthy for long", () => {
  const unhealthy = { health: "Unhealthy", consecutiveFailures: 3 } as const;
  const halfDays = (count: number, finding: Finding) => after(Array<Finding>(count).fill(finding), unhealthy, 720);

  it("is Disabled after seven days", () => {
    const since = { ...unhealthy, strikes: 50, failingSince: days(-7) };
    expect(after(["Refused"], since).move).toMatchObject({ to: "Disabled" });
    expect(after(["Refused"], { ...since, failingSince: minutes(-7 * 1440 + 1) }).move).toBeUndefined();
    expect(after(["Passed"], since).move).toBeUndefined();
  });

  it("gets one strike a day by outages of the vendor", () => {
    expect(halfDays(13, "Outage").record.strikes).toBe(7);
    expect(halfDays(14, "Refused").record.strikes).toBe(14);
    // the platform was down for a week: one outage before and one after it are two strikes
    const { move } = after(["Outage", "Outage"], unhealthy, 8 * 1440);
    expect(move).toBeUndefined();
    expect(halfDays(15, "Outage").move).toMatchObject({ to: "Disabled" });
  });

  it("begins anew after a success", () => {
    const { record } = after(["Passed"], { ...unhealthy, strikes: 6, failingSince: days(-6) });
    expect(record).toMatchObject({ health: "Degraded", strikes: 0, failingSince: null });
  });

  it("moves only from Active", () => {
    const since = { ...unhealthy, strikes: 50, failingSince: days(-8) };
    const others: ConnectionState[] = ["Suspended", "AuthorizationRequired", "Disabled", "Deleted"];
    for (const status of others) expect(after(["Refused"], { ...since, status }).move).toBeUndefined();
  });

  it("is enabled by an operator only when a probe passes, or when there is none", () => {
    const disabledRecord = { ...unhealthy, status: "Disabled" } as const;
    expect(after([{ finding: "Passed", enable: true }], disabledRecord).move).toMatchObject({ to: "Active" });
    expect(after([{ finding: "Outage", enable: true }], disabledRecord).move).toBeUndefined();
    expect(after([{ finding: "Nothing", enable: true, uncheckable: true }], disabledRecord).move).toMatchObject({
      to: "Active",
    });
    expect(after([{ finding: "Nothing", enable: true }], disabledRecord).move).toBeUndefined();
    expect(after([{ finding: "Nothing", uncheckable: true }], disabledRecord).move).toBeUndefined();
    expect(after(["Passed"], disabledRecord).move).toBeUndefined();
  });
});
