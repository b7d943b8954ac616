import { compareTexts, lower, sameText, upper } from "./invariant-case.js";

const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (one) => one < "\ud800" || one > "\udfff",
);

/** The single letters whose only lower form is the given one. */
const capitalsOf = new Map<string, string[]>();
for (const one of characters) {
  const small = one.toLowerCase();
  if (small !== one && small.length === 1) capitalsOf.set(small, [...(capitalsOf.get(small) ?? []), one]);
}

describe("invariant casing", () => {
  it("leaves the Turkish letters, as .NET does", () => {
    expect(upper("ı i I")).toBe("ı I I");
    expect(lower("İ I i")).toBe("İ i i");
    expect(upper("İ")).toBe("İ");
    expect(lower("ı")).toBe("ı");
  });

  it.each([
    ["straße ŉ ﬁ", "STRAßE ŉ ﬁ"],
    ["ſ", "S"],
    ["ᾳ ᾀ", "ᾼ ᾈ"],
    ["ǆ ǅ", "Ǆ Ǆ"],
    ["𐐨", "𐐀"],
  ])("%s in capitals is %s", (text, expected) => {
    expect(upper(text)).toBe(expected);
  });

  it.each([
    ["\u212a", "k"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ẞ", "ß"],
    ["𐐀", "𐐨"],
  ])("%s in small letters is %s", (text, expected) => {
    expect(lower(text)).toBe(expected);
  });

  it("maps every character of the basic plane to one character, by the simple mapping", () => {
    const wrong = characters.filter((one) => {
      const full = one.toUpperCase();
      // where the full mapping has several characters, the simple one is the letter whose lower form this is
      const simple = full.length === 1 ? full : (capitalsOf.get(one)?.[0] ?? one);
      const small = one.toLowerCase();
      // the capital sharp s maps to the small one, but not back
      const isException = one === "ı" || one === "İ" || one === "ß";
      return !isException && (upper(one) !== simple || lower(one) !== (small.length === 1 ? small : one));
    });
    expect(wrong).toEqual([]);
  });

  it("compares without regard to case letter by letter", () => {
    expect(sameText("Straße", "STRAßE")).toBe(true);
    expect(sameText("Straße", "STRASSE")).toBe(false);
    expect(sameText("ı", "I")).toBe(false);
    expect(sameText("ſ", "s")).toBe(false);
    expect(compareTexts("a", "B")).toBe(-1);
    expect(compareTexts("b", "A")).toBe(1);
    expect(compareTexts("É", "é")).toBe(0);
  });
});
