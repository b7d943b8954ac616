import fc from "fast-check";
import { isOneEditAway } from "./capability-match.js";
import { afterPrefix, bounded, postedTerms, spellingsOf } from "./search-terms.js";

const bytes = (text: string) => Buffer.from(text);

describe("the bound behind a prefix", () => {
  it("lies above all that begins like it and above nothing else", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, text, (prefix, other) => {
        const end = afterPrefix(prefix);
        if (end === undefined) return;
        expect(Buffer.compare(bytes(prefix + other), bytes(end))).toBe(-1);
        const within = Buffer.compare(bytes(other), bytes(prefix)) >= 0 && Buffer.compare(bytes(other), bytes(end)) < 0;
        expect(within).toBe(other.startsWith(prefix));
      }),
    );
  });

  it("is missing behind the last letter there is", () => {
    expect(afterPrefix("\u{10ffff}")).toBeUndefined();
    expect(afterPrefix("a\u{10ffff}")).toBe("b");
    expect(afterPrefix("\ud7ff")).toBe("\ue000");
  });
});

describe("spellings", () => {
  it("are shared by words that are one slip apart", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "😀", "😁"), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        if (!isOneEditAway(a, b)) return;
        expect(spellingsOf(a).filter((spelling) => spellingsOf(b).includes(spelling))).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the terms of an entry", () => {
  it("tell which of its capabilities hold them", () => {
    const terms = postedTerms([
      { name: "message.publish", contract: "IMessage" },
      { name: "message", contract: null },
    ]);
    const places = (kind: number, term: string) =>
      terms.find((indexedTerm) => indexedTerm.kind === kind && indexedTerm.term === term)?.places.replace(/0+$/, "");
    expect(places(1, "message publish")).toBe("1");
    expect(places(1, "message")).toBe("01");
    expect(places(2, "imessage")).toBe("1");
    expect(places(2, "i message")).toBe("1");
    expect(places(3, "message")).toBe("11");
    expect(places(3, "publish")).toBe("1");
    expect(terms.every((indexedTerm) => indexedTerm.places.length === 128)).toBe(true);
  });

  it("are no longer than an index row holds", () => {
    expect(bytes(bounded("😀".repeat(5000))).length).toBeLessThan(2000);
    expect(bounded("a".repeat(256))).toHaveLength(256);
  });
});
