import fc from "fast-check";
import { scaleOf } from "./chart.js";

describe("scaleOf", () => {
  it.each([
    [[], [0, 1]],
    [
      [3, 97],
      [0, 50, 100],
    ],
    [
      [-40, 160],
      [-50, 0, 50, 100, 150, 200],
    ],
    [[1_234_567], [0, 500_000, 1_000_000, 1_500_000]],
  ])("has round steps for %j", (values, ticks) => {
    expect(scaleOf(values).ticks).toEqual(ticks);
  });

  it("includes zero and every value", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 })), (values) => {
        const { low, high, ticks } = scaleOf(values);
        for (const value of [0, ...values]) {
          expect(value).toBeGreaterThanOrEqual(low);
          expect(value).toBeLessThanOrEqual(high);
        }
        expect(high).toBeGreaterThan(low);
        expect(ticks.length).toBeLessThan(9);
      }),
    );
  });
});
