import { compareTexts, lower, sameText, upper } from "./invariant-case.js";

const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character < "\ud800" || character > "\udfff",
);

/** The single letters whose only lower form is the given one. */
const capitalsOf = new Map<string, string[]>();
for (const character of characters) {
  const small = character.toLowerCase();
  if (small !== character && small.length === 1) capitalsOf.set(small, [...(capitalsOf.get(small) ?? []), character]);
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
  ])("%s in capitals is %s", (text, result) => {
    expect(upper(text)).toBe(result);
  });

  it.each([
    ["\u212a", "k"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ẞ", "ß"],
    ["𐐀", "𐐨"],
  ])("%s in small letters is %s", (text, result) => {
    expect(lower(text)).toBe(result);
  });

  it("maps every character of the basic plane to one character, by the simple mapping", () => {
    const wrong = characters.filter((character) => {
      const full = character.toUpperCase();
      // where the full mapping has several characters, the simple one is the letter whose lower form this is
      const simple = full.length === 1 ? full : (capitalsOf.get(character)?.[0] ?? character);
      const small = character.toLowerCase();
      // the capital sharp s maps to the small one, but not back
      const isException = character === "ı" || character === "İ" || character === "ß";
      return (
        !isException && (upper(character) !== simple || lower(character) !== (small.length === 1 ? small : character))
      );
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
