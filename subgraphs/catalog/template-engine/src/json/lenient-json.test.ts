import { readLenientObject } from "./lenient-json.js";

describe("lenient JSON", () => {
  it.each<[string, unknown]>([
    ["{name: 'x'}", { name: "x" }],
    ["{'a b': \"it's\", $b_1: 'say \"hi\"'}", { "a b": "it's", $b_1: 'say "hi"' }],
    ["{a: [1, 2,], b: {c: true,},}", { a: [1, 2], b: { c: true } }],
    ["{a: 0x1F, b: -2.5e1, c: .5, d: null, e: undefined}", { a: 31, b: -25, c: 0.5, d: null, e: null }],
    ["/* why */ {a: 1 // because\n}", { a: 1 }],
    ['{"a": "two\nlines", "b": "\\u0041\\t\\/\\\'"}', { a: "two\nlines", b: "A\t/'" }],
    ['{"a": 1} trailing }', { a: 1 }],
    ["\ufeff{}", {}],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ["{größe: false}", { größe: false }],
  ])("reads %j", (text, value) => {
    expect(readLenientObject(text)).toEqual(value);
  });

  it("keeps a member called __proto__ an ordinary member", () => {
    const value = readLenientObject("{__proto__: {a: 1}}");
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
    expect(value).not.toHaveProperty("a");
  });

  it.each([
    "",
    "[]",
    "{",
    "{a}",
    "{a:}",
    "{a: b}",
    "{a: 'x}",
    "{a: '\\x'}",
    "{a: '\\u12'}",
    "{a: 1 b: 2}",
    "{a: 1x}",
    "{a: 1,, b: 2}",
    `{a: ${"[".repeat(5_000)}`,
  ])("does not read %j", (text) => {
    expect(readLenientObject(text)).toBeUndefined();
  });
});
