import fc from "fast-check";
import { pairwiseRows } from "./pairwise.js";

describe("pairwiseRows", () => {
  it.each<[number[], number]>([
    [[], 0],
    [[3], 3],
    [[2, 2], 4],
    [[1, 1, 1], 1],
  ])("%j takes %i rows", (sizes, count) => {
    expect(pairwiseRows(sizes, 50)).toHaveLength(count);
  });

  it("stays far below all combinations", () => {
    expect(pairwiseRows([2, 2, 2, 2, 2, 2, 2, 2], 50).length).toBeLessThanOrEqual(10);
    expect(
      pairwiseRows(
        Array.from({ length: 30 }, () => 8),
        50,
      ),
    ).toHaveLength(50);
  });

  it("holds every pair of values", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }), (sizes) => {
        const rows = pairwiseRows(sizes, 1000);
        sizes.forEach((size, position) =>
          sizes.slice(position + 1).forEach((otherSize, distance) => {
            const pairs = new Set(rows.map((row) => `${row[position]},${row[position + 1 + distance]}`));
            expect(pairs.size).toBe(size * otherSize);
          }),
        );
      }),
    );
  });
});
