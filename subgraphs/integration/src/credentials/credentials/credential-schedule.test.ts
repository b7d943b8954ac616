import type { CredentialState } from "./credential.states.js";
import { dueWarning, nextChange, scheduled } from "./credential-schedule.js";

const at = (day: number) => new Date(Date.UTC(2026, 0, 1) + day * 86_400_000);
const next = (
  expires: number | null,
  lastWarning: number | null,
  rotation: number | null,
  status: CredentialState = "Active",
  materialDue: number | null = null,
) =>
  nextChange({
    status,
    expiresAt: expires === null ? null : at(expires),
    expiryWarningDays: lastWarning,
    nextRotationAt: rotation === null ? null : at(rotation),
    materialDueAt: materialDue === null ? null : at(materialDue),
  });

describe("the next change of a credential by time", () => {
  it("is the next warning, and after the last one the expiry", () => {
    expect([null, 30, 7, 1].map((lastWarning) => next(100, lastWarning, null))).toEqual([
      at(70),
      at(93),
      at(99),
      at(100),
    ]);
  });

  it("is a rotation that comes first, or never", () => {
    expect(next(100, null, 60)).toEqual(at(60));
    expect(next(100, null, 80)).toEqual(at(70));
    expect(next(null, null, null)).toBeNull();
  });

  it("is a warning only after a failed rotation, and nothing where time changes nothing", () => {
    expect(next(100, 7, 60, "RotationFailed")).toEqual(at(99));
    expect(next(100, 1, 60, "RotationFailed")).toBeNull();
    for (const status of ["Rotating", "Expired", "Revoked"] as const) expect(next(100, null, 60, status)).toBeNull();
  });

  it("is the expiry or the end of the wait, whichever comes first, while a new version waits for its material", () => {
    expect(next(100, null, 60, "Rotating", 77)).toEqual(at(70));
    expect(next(100, 1, 60, "Rotating", 107)).toEqual(at(100));
    expect(next(null, null, 60, "Rotating", 7)).toEqual(at(7));
    expect(next(1, 1, 60, "Expired", 7)).toEqual(at(7));
    expect(next(1, 1, null, "Revoked", 7)).toBeNull();
  });

  it("is counted from now", () => {
    const schedule = { expiresAt: null, graceSeconds: null, rotationIntervalDays: 90 };
    expect(scheduled(schedule, at(5))).toMatchObject({ nextRotationAt: at(95), nextChangeAt: at(95) });
  });
});

describe("the due warning before an expiry", () => {
  const none = { nextRotationAt: null, materialDueAt: null };
  const due = (day: number, lastWarning: number | null) =>
    dueWarning({ status: "Active", expiresAt: at(100), expiryWarningDays: lastWarning, ...none }, at(day));

  it("is sent once each, and only the last of several that were missed", () => {
    expect([due(69, null), due(70, null), due(92, 30), due(93, 30), due(99.5, 7)]).toEqual([
      ...[undefined, 30, undefined, 7, 1],
    ]);
    expect([due(96, null), due(96, 7), due(100, 1), due(101, null)]).toEqual([7, undefined, undefined, undefined]);
  });
});
