import { parseForeignJson } from "../json/kept-numbers.js";
import { canonicalJson, canonicalJsonWork, isLargeJson } from "./canonical-json.js";

describe("canonical JSON", () => {
  it("is that of the examples of RFC 8785, section 3.2", () => {
    const literals = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(literals)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const names = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.values(JSON.parse(canonicalJson(names)))).toHaveLength(7);
    expect([...canonicalJson(names).matchAll(/:"([^"]+)"/g)].map(([, text]) => text)).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  it("leaves out members without a value and keeps null", () => {
    expect(canonicalJson({ b: undefined, a: null, c: [undefined, { z: 1, y: "x" }] })).toBe(
      '{"a":null,"c":[null,{"y":"x","z":1}]}',
    );
  });
});

describe("canonical JSON of a large value", () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${(at * 7919) % 5000}`, at]));
  const list = Array.from({ length: 3000 }, (_, at) => (at % 3 === 0 ? undefined : { b: [at], a: undefined }));

  it.each<[string, unknown, number]>([
    ["many members", wide, 10],
    ["many items", list, 6],
    ["both, deep inside", { one: { two: [wide, list, null] }, none: undefined }, 16],
    ["many numbers of others", parseForeignJson(`{"a":[${"1e400,-0,".repeat(1000)}1.0]}`), 4],
  ])("with %s is the same text, with pauses", (_, value, atLeast) => {
    const work = canonicalJsonWork(value);
    let pauses = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) pauses += 1;
    expect(result.value).toBe(canonicalJson(value));
    expect(pauses).toBeGreaterThanOrEqual(atLeast);
  });

  it("with many small objects pauses after some of them, and not after some hundred thousand members", () => {
    const small = Array.from({ length: 400 }, () => ({ a: 1, b: Array.from({ length: 50 }, (_, at) => at) }));
    const pauses = [...canonicalJsonWork({ small })].length;
    expect(pauses).toBe(Math.floor((400 * 53 + 1) / 500));
  });

  it("is found out without reading the members of one large object", () => {
    let readCount = 0;
    const get = () => (readCount += 1);
    const wide = Object.defineProperties(
      {},
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, { get, enumerable: true }])),
    );
    expect([isLargeJson(wide), readCount]).toEqual([true, 0]);
  });

  it("is found out by a few members", () => {
    let readCount = 0;
    const counting = Array.from({ length: 100_000 }, () => ({
      get a() {
        readCount += 1;
        return 1;
      },
    }));
    expect([isLargeJson(counting), isLargeJson({ a: [1, 2, { b: null }] })]).toEqual([true, false]);
    expect(readCount).toBeLessThan(600);
  });
});
