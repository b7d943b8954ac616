import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { RowCount } from "./row-count.js";

it("rows are counted as they pass, wherever the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[^\n]*$/)),
      fc.integer({ min: 1, max: 9 }),
      async (lines, pieceBytes) => {
        const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const pieces = Array.from({ length: Math.ceil(whole.length / pieceBytes) }, (_, at) =>
          whole.subarray(at * pieceBytes, (at + 1) * pieceBytes),
        );
        const rowCount = new RowCount();
        const output = await buffer(Readable.from(pieces).pipe(rowCount));
        expect(rowCount.rows).toBe(lines.length);
        expect(output.equals(whole)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});
