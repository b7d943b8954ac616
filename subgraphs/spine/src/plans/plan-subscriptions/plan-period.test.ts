import type { BillingCycle } from "@factory/schema/vocabularies/plans";
import fc from "fast-check";
import { addMonths, billingCycles, firstPeriodEnd, nextPeriodEnd } from "./plan-period.js";

const cycles = Object.keys(billingCycles) as BillingCycle[];
const anyTime = fc.date({ min: new Date("1990-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });
const anyCycle = fc.constantFrom(...cycles);

/** The times at which an anchor's first periods end. */
function periodEnds(anchor: Date, cycle: BillingCycle, count: number): Date[] {
  const ends = [firstPeriodEnd(anchor, cycle)];
  while (ends.length < count) ends.push(nextPeriodEnd(anchor, ends.at(-1) ?? anchor, cycle));
  return ends;
}

describe("the end of a period", () => {
  it.each<[string, BillingCycle, string]>([
    ["2026-01-31T10:00:00Z", "Monthly", "2026-02-28T10:00:00Z"],
    ["2024-02-29T00:00:00Z", "Annual", "2025-02-28T00:00:00Z"],
    ["2026-03-15T12:00:00Z", "Annual", "2027-03-15T12:00:00Z"],
    ["2026-12-31T23:59:59Z", "Monthly", "2027-01-31T23:59:59Z"],
  ])("of one that begins %s, %s, is %s", (start, cycle, end) => {
    expect(firstPeriodEnd(new Date(start), cycle)).toEqual(new Date(end));
  });

  it("comes back to the day of the anchor after a short month", () => {
    const days = (anchor: string, cycle: BillingCycle, count: number) =>
      periodEnds(new Date(anchor), cycle, count).map((end) => end.toISOString().slice(0, 10));
    expect(days("2027-12-31T00:00:00Z", "Monthly", 4)).toEqual([
      "2028-01-31",
      "2028-02-29",
      "2028-03-31",
      "2028-04-30",
    ]);
    expect(days("2024-02-29T23:59:59.999Z", "Annual", 4)).toEqual([
      ...["2025-02-28", "2026-02-28", "2027-02-28"],
      "2028-02-29",
    ]);
  });

  it("is always later, at the same time of day, on the day of the anchor or the last day of its month", () => {
    fc.assert(
      fc.property(anyTime, anyCycle, fc.integer({ min: 1, max: 60 }), (anchor, cycle, count) => {
        let before = anchor;
        for (const end of periodEnds(anchor, cycle, count)) {
          expect(end.getTime()).toBeGreaterThan(before.getTime());
          expect(end.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
          const nextDay = new Date(end.getTime() + 86_400_000);
          if (end.getUTCDate() !== anchor.getUTCDate()) expect(nextDay.getUTCDate()).toBe(1);
          expect(end.getUTCDate()).toBeLessThanOrEqual(anchor.getUTCDate());
          before = end;
        }
      }),
    );
  });

  it("skips no month: twelve monthly periods end with one annual period", () => {
    fc.assert(
      fc.property(anyTime, (anchor) => {
        expect(periodEnds(anchor, "Monthly", 12).at(-1)).toEqual(firstPeriodEnd(anchor, "Annual"));
        expect(periodEnds(anchor, "Monthly", 60).at(-1)).toEqual(addMonths(anchor, 60));
      }),
    );
  });
});
