import { nextChange, scheduled } from "./credential-schedule.js";

const at = (day: number) => new Date(Date.UTC(2026, 0, 1) + day * 86_400_000);
const next = (expires: number | null, warned: number | null, rotation: number | null) =>
  nextChange({
    expiresAt: expires === null ? null : at(expires),
    expiryWarningDays: warned,
    nextRotationAt: rotation === null ? null : at(rotation),
  });

describe("the next change of a credential by time", () => {
  it("is the next warning, and after the last one the expiry", () => {
    expect([null, 30, 7, 1].map((warned) => next(100, warned, null))).toEqual([at(70), at(93), at(99), at(100)]);
  });

  it("is a rotation that comes first, or never", () => {
    expect(next(100, null, 60)).toEqual(at(60));
    expect(next(100, null, 80)).toEqual(at(70));
    expect(next(null, null, null)).toBeNull();
  });

  it("is counted from now", () => {
    const schedule = { expiresAt: null, graceSeconds: null, rotationIntervalDays: 90 };
    expect(scheduled(schedule, at(5))).toMatchObject({ nextRotationAt: at(95), nextChangeAt: at(95) });
  });
});
