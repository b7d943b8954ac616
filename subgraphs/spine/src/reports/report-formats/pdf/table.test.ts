import fc from "fast-check";
import { columnWidths } from "./table.js";

const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);

describe("columnWidths", () => {
  it("gives the space that is left to texts, by their weight", () => {
    expect(columnWidths([{ natural: 50 }, { natural: 60, weight: 1 }, { natural: 60, weight: 3 }], 250)).toEqual([
      50, 80, 120,
    ]);
  });

  it("lets wide texts wrap, and short ones keep their width", () => {
    expect(columnWidths([{ natural: 50 }, { natural: 30, weight: 1 }, { natural: 900, weight: 1 }], 280)).toEqual([
      50, 30, 200,
    ]);
  });

  it("fills the page with any columns", () => {
    const demand = fc.record(
      { natural: fc.integer({ min: 10, max: 900 }), weight: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: ["natural"] },
    );
    fc.assert(
      fc.property(fc.array(demand, { minLength: 1, maxLength: 12 }), (demands) => {
        const widths = columnWidths(demands, 500);
        expect(sum(widths)).toBeCloseTo(500, 6);
        expect(Math.min(...widths)).toBeGreaterThan(0);
      }),
    );
  });
});
