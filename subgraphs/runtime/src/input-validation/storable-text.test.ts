import { parseForeignJson } from "../json/kept-numbers.js";
import { doAtOnce } from "../threads/long-work.js";
import { isFlatAndStorable, isStorable, storability, storableText, unstorableText } from "./storable-text.js";

const [nul, half] = ["\0", "\ud800"];

describe("text that cannot be stored", () => {
  it("is NUL and lone surrogates", () => {
    for (const text of ["", "a", "\u00e9", "\ud83d\ude00"]) expect(isStorable(text)).toBe(true);
    for (const text of [nul, half, `a${half}b`, "\ude00\ud83d"]) expect(isStorable(text)).toBe(false);
    expect(storableText(`a${nul}${half}\ud83d\ude00`)).toBe("a\ufffd\ufffd\ud83d\ude00");
  });

  it("is found in names, members and items, with pointers", () => {
    expect(unstorableText({ a: [{ b: nul }, "fine", half], [`x${nul}`]: 1, "c/d": { e: nul } })).toEqual(
      ["/a/0/b", "/a/2", "", "/c~1d/e"].map((pointer) => expect.objectContaining({ pointer, code: "FORMAT" })),
    );
    expect(unstorableText(nul)).toEqual([expect.objectContaining({ pointer: "" })]);
    expect(unstorableText([null, 1, true, undefined])).toEqual([]);
  });

  it("is found without further work among texts and numbers", () => {
    expect(isFlatAndStorable({ a: "fine", b: 1, c: null, d: undefined })).toBe(true);
    expect(isFlatAndStorable(parseForeignJson('{"a":1e400,"b":-0}') as object as Record<string, unknown>)).toBe(true);
    for (const member of [nul, half, [], {}]) expect(isFlatAndStorable({ a: "fine", b: member })).toBe(false);
  });

  it("makes no list of errors that is longer than a person reads", () => {
    expect(unstorableText(Array.from({ length: 20_000 }, () => nul))).toHaveLength(20);
    expect(unstorableText(Array.from({ length: 20_000 }, () => [nul]))).toHaveLength(20);
  });

  it("is not looked for in levels beyond the limit", () => {
    const nestedJson = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;
    expect(unstorableText(nestedJson(64))).toEqual([]);
    const deepest = `${"[".repeat(64)}1.0${"]".repeat(64)}`;
    expect(unstorableText(parseForeignJson(deepest))).toEqual([]);
    expect(unstorableText(nestedJson(65))).toEqual([
      expect.objectContaining({ pointer: "/0".repeat(64), code: "OUT_OF_RANGE" }),
    ]);
  });

  it.each<[string, unknown]>([
    ["members", Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]))],
    ["items", Array.from({ length: 20_000 }, String)],
    ["small objects", Array.from({ length: 10_000 }, () => ({ a: 1 }))],
  ])("is looked for with pauses among many %s", (_, value) => {
    expect([...storability(value)].length).toBeGreaterThanOrEqual(39);
    expect(doAtOnce(storability(value))).toEqual([]);
  });
});
