import { type Face, loadFaces } from "./faces.js";
import { maxTextLength, readableText } from "./readable-text.js";

describe("readableText", () => {
  let face: Face;
  beforeAll(async () => {
    face = (await loadFaces()).regular;
  });

  it.each(["plain", "Größe Łódź ñ", "Ελληνικά", "Кириллица ђ ѝ", "x² ≤ 5 €", "don’t – “quote”"])("keeps %j", (text) => {
    expect(readableText(text, face)).toBe(text);
  });

  it.each([
    ["a character without a glyph", "a\u4e2d\u6587", "a�4E2D�6587"],
    ["an emoji without a glyph", "🚀", "�1F680"],
    ["a script from right to left", "a שלום", "a �05E9�05DC�05D5�05DD"],
    ["controls of direction", "a\u202egnp.exe", "a�202Egnp.exe"],
    ["a zero-width space", "pay\u200bpal", "pay�200Bpal"],
    ["control characters", "\u0007\u001b[31m", "�0007�001B[31m"],
    ["line breaks", "one\r\ntwo\nthree\rfour", "one↵two↵three↵four"],
    ["a separator of lines", "a\u2028b", "a�2028b"],
    ["a tab and wide spaces", "a\tb\u00a0c\u3000d", "a b c d"],
    ["decomposed letters", "Cafe\u0301", "Café"],
    ["a variation selector", "\u2764\ufe0f", "\u2764"],
    ["a lone surrogate", "a\ud800b", "a�D800b"],
    ["a filler that is a letter", "a\u3164b", "a�3164b"],
  ])("shows %s", (_, text, shownText) => {
    expect(readableText(text, face)).toBe(shownText);
  });

  it("ends a long text with an ellipsis", () => {
    expect(readableText("x".repeat(maxTextLength), face)).toBe("x".repeat(maxTextLength));
    expect(readableText("x".repeat(10_000_000), face)).toBe(`${"x".repeat(maxTextLength)}…`);
    expect(readableText("\u202e".repeat(10_000_000), face)).toBe(`${"�202E".repeat(maxTextLength / 5)}…`);
    expect(readableText("e\u0301".repeat(10_000_000), face)).toBe(`${"é".repeat(maxTextLength)}…`);
  });
});
