import { canonicalJson } from "./canonical-json.js";

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
