import { usagePeriod } from "./period.js";

const meteredFeature = (period: "day" | "month") =>
  ({ kind: "metered", limit: 1, period, soft: false }) as Parameters<typeof usagePeriod>[0];
const at = (text: string) => new Date(text);

describe("the period of a metered feature", () => {
  it.each([
    ["month", "2026-01-31T23:59:59.999Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
    ["month", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"],
    ["month", "2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["day", "2028-02-28T23:59:59.999Z", "2028-02-28T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["day", "2028-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"],
    // back in time, as on a test clock
    ["month", "2026-01-15T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
  ] as const)("of a %s at %s begins at %s and ends at %s", (period, now, start, resetAt) => {
    expect(usagePeriod(meteredFeature(period), at(now))).toEqual({ start: at(start), resetAt: at(resetAt) });
  });

  it("is without an end for a limit", () => {
    const limit = { kind: "limit", limit: 3 } as Parameters<typeof usagePeriod>[0];
    expect(usagePeriod(limit, at("2026-01-15T00:00:00Z"))).toEqual({ start: new Date(0), resetAt: undefined });
  });
});
