import fc from "fast-check";
import { doAtOnce } from "../threads/long-work.js";
import {
  holdsKeptNumber,
  isKeptNumber,
  parseForeignJson,
  parsingForeignJson,
  withPlainNumbers,
} from "./kept-numbers.js";
import { isRewritten, rewritesNumber } from "./rewritten-numbers.js";

/** The `JSON.parse` reviver that reads each number by its source. */
const keepNumber = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined ? parseForeignJson(context.source) : value;

/** Numbers that JavaScript writes in another way. */
const rewritten = [
  "820982911946154508",
  "1e400",
  "-1e400",
  "-0",
  "-0.0",
  "0.0",
  "1.0",
  "1E5",
  "1e5",
  "1e+5",
  "0.1000000000000000055511151231257827",
  "0.0000001",
  "9007199254740993",
  "19.90",
  "1e-400",
  "0.00000012",
  "12345678901234567.5",
];
const unchangedTexts = [
  "1234567890123456.5",
  "0.000001",
  "0.001",
  "123456789012.345",
  "-123456789012345",
  "0.1",
  "10.5",
  "0",
  "1",
  "-1",
  "19.95",
  "9007199254740991",
  "-0.5",
  "1e+21",
  "1e-7",
  "123456789012345680000",
];

const number = fc.oneof(
  fc.constantFrom(...rewritten, ...unchangedTexts),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.option(fc.stringMatching(/^\d{1,30}$/)),
      fc.option(fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.nat(500))),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : exponent.join("")}`,
    ),
);
const space = fc.constantFrom("", "", "", " ", "\n", "\t \r");
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        number,
        fc.constantFrom("true", "false", "null", '"\\u0031"', '"\\\\"', '" 1e5 "', '"-0"'),
        fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
        fc.array(tie("value")).map((items) => `[${items.join(",")}]`),
        fc
          .array(fc.tuple(fc.oneof(fc.string(), fc.constant("__proto__")), space, tie("value")))
          .map(
            (members) => `{${members.map(([name, gap, value]) => `${JSON.stringify(name)}${gap}:${value}`).join(",")}}`,
          ),
      ),
      space,
    )
    .map((parts) => parts.join("")),
})).value;

describe("parseForeignJson", () => {
  it.each([...rewritten, ...unchangedTexts])("keeps the text of %s", (text) => {
    const value = parseForeignJson(`{"a":[${text}]}`);
    expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`);
    expect(holdsKeptNumber(value)).toBe(rewritten.includes(text));
    expect(JSON.stringify(parseForeignJson(text))).toBe(text);
  });

  it("reads every JSON as a reviver with the source of each number does", () => {
    fc.assert(
      fc.property(json, (text) => {
        const value = parseForeignJson(text);
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text, keepNumber)));
        expect(withPlainNumbers(value)).toEqual(JSON.parse(text));
        expect(holdsKeptNumber(value)).toBe(holdsKeptNumber(JSON.parse(text, keepNumber)));
      }),
      { numRuns: 2000 },
    );
  });

  it("reads with pauses what it reads at once", () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(doAtOnce(parsingForeignJson(text)))).toBe(JSON.stringify(parseForeignJson(text)));
      }),
    );
    const large = `[${'{"a":1.0},[],"x",'.repeat(5_000)}null]`;
    expect(JSON.stringify(doAtOnce(parsingForeignJson(large)))).toBe(large);
    expect([...parsingForeignJson(large)].length).toBeGreaterThan((5_000 * 5) / 200);
  });

  it("reads a text of any depth, and so do the copy with numbers of JavaScript and the search", () => {
    const deep = parseForeignJson(`${"[".repeat(200_000)}1.0${"]".repeat(200_000)}`);
    expect(holdsKeptNumber(deep)).toBe(true);
    let [inner, copy] = [deep, withPlainNumbers(deep)];
    for (let level = 0; level < 200_000; level++) [[inner], [copy]] = [inner as unknown[], copy as unknown[]];
    expect([isKeptNumber(inner), copy]).toEqual([true, 1]);
  });

  it("gives numbers of JavaScript where their text survives, also in a value with others", () => {
    const [keptNumber, plain] = parseForeignJson("[1.0,1.5]") as unknown[];
    expect([isKeptNumber(keptNumber), plain]).toEqual([true, 1.5]);
  });

  it.each(["", "{", "01", "1.", "+1", ".5", "NaN", "[1,]", "-", "1e", "{'a':1}", '{"a":1e400', "1.0 2"])(
    "refuses %j",
    (text) => expect(() => parseForeignJson(text)).toThrow(SyntaxError),
  );

  it("has own members called __proto__ and sets no prototype", () => {
    const value = parseForeignJson('{"__proto__":{"a":1.0}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("reads a mebibyte of kept numbers without searching it again for each of them", () => {
    const text = `[${"1.0,".repeat(260_000)}1.0]`;
    const start = process.cpuUsage();
    expect(JSON.stringify(parseForeignJson(text))).toBe(text);
    // a quarter of a second on an idle machine, and far longer where each number costs a search through the text
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(20_000);
  });
});

describe("rewritesNumber", () => {
  it("finds one among many that are long and survive", () => {
    const long = Array.from({ length: 1200 }, (_, at) => 0.1234567890123456 + at / 7);
    for (const place of [0, 499, 500, 1199]) {
      const texts = long.map(String);
      expect(rewritesNumber(`[${texts.join(",")}]`)).toBe(false);
      texts.splice(place, 1, "0.12345678901234567");
      expect(rewritesNumber(`[${texts.join(",")}]`)).toBe(true);
    }
  });

  it("agrees with String about every number", () => {
    const form = fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,17})?$/);
    fc.assert(
      fc.property(form, (text) => expect(isRewritten(text)).toBe(String(Number(text)) !== text)),
      { numRuns: 3000 },
    );
  });

  it("is deceived by no text", () => {
    expect(rewritesNumber('{"1.0":"-0","at":"2026-11-28T06:47:36.120Z","a\\\\":"\\"1e5","b\\"":", 1.0 "}')).toBe(false);
    expect(rewritesNumber('{"a\\\\":1.0}')).toBe(true);
  });
});
