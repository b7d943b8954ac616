import { isoFromJsonTime } from "./json-time.js";

describe("a timestamptz in JSON", () => {
  it.each([
    ["2026-01-02T03:04:05.678901+00:00", "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04:05.6+00:00", "2026-01-02T03:04:05.600Z"],
    ["2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04:05.5+02:00", "2026-01-02T01:04:05.500Z"],
    ["2026-01-02T03:04:05-05:30", "2026-01-02T08:34:05.000Z"],
  ])("%s becomes %s, like Date.toISOString", (time, iso) => {
    expect(isoFromJsonTime(time)).toBe(iso);
    expect(new Date(time).toISOString()).toBe(iso);
  });
});
