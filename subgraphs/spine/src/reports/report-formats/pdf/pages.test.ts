import fc from "fast-check";
import type { Block } from "./block.js";
import { paginate } from "./pages.js";

const block = (height: number): Block => ({ height, draw: () => undefined });
const heights = (max: number) => fc.array(fc.integer({ min: 5, max }), { minLength: 1, maxLength: 60 });

describe("paginate", () => {
  it("keeps every block in order and on its page, and the rows of each page below a header", () => {
    fc.assert(
      fc.property(heights(150), heights(40), (tops, lines) => {
        const [blocks, rows, header] = [tops.map(block), lines.map(block), block(15)];
        const pages = paginate(blocks, { header, rows }, 40, 200);
        const placedBlocks = pages.flat().map((place) => place.block);
        expect(placedBlocks.filter((block) => block !== header)).toEqual([...blocks, ...rows]);
        for (const page of pages) {
          for (const [index, place] of page.entries()) {
            expect(place.top + place.block.height).toBeLessThanOrEqual(240);
            const above = page[index - 1];
            expect(place.top).toBe(above ? above.top + above.block.height : 40);
            if (rows.includes(place.block)) expect([header, ...rows]).toContain(above?.block);
          }
          expect(page.at(-1)?.block).not.toBe(header);
        }
      }),
    );
  });
});
