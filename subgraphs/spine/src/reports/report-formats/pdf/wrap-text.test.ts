import fc from "fast-check";
import { type Face, loadFaces } from "./faces.js";
import { wrapText } from "./wrap-text.js";

const size = 8;

describe("wrapText", () => {
  let face: Face;
  beforeAll(async () => {
    face = (await loadFaces()).regular;
  });

  it("breaks at spaces", () => {
    expect(wrapText("one two three four", { face, size }, face.widthOf("one two t", size), 9)).toEqual([
      "one two",
      "three",
      "four",
    ]);
  });

  it("breaks names and addresses at their dividers", () => {
    const width = face.widthOf("person.one@exam", size);
    expect(wrapText("person.one@example.com", { face, size }, width, 9)).toEqual(["person.one@", "example.com"]);
  });

  it("breaks a long word anywhere", () => {
    const width = face.widthOf("mmm", size);
    expect(wrapText("mmmmmmmm", { face, size }, width, 9)).toEqual(["mmm", "mmm", "mm"]);
  });

  it("ends the last line with an ellipsis when more follows", () => {
    const width = face.widthOf("mmmm", size);
    const [first, last] = wrapText("mmmm mmmm mmmm", { face, size }, width, 2);
    expect(first).toBe("mmmm");
    expect(last).toMatch(/^m+…$/);
  });

  it("keeps its width, its number of lines and all of a text that fits", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "W", " ", "i", "é"), maxLength: 80 }),
        fc.integer({ min: 20, max: 300 }),
        fc.integer({ min: 1, max: 9 }),
        (text, width, maxLines) => {
          const lines = wrapText(text, { face, size }, width, maxLines);
          expect(lines.length).toBeLessThanOrEqual(maxLines);
          for (const line of lines) expect(face.widthOf(line, size)).toBeLessThanOrEqual(width);
          if (!lines.at(-1)?.endsWith("…")) expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        },
      ),
    );
  });
});
