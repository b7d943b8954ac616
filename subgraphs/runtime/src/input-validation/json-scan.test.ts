import { doAtOnce } from "../threads/long-work.js";
import { scanJson } from "./json-scan.js";
import { type JsonSize, requestJsonLimit } from "./json-size.js";

function scanned(text: string): JsonSize & { readonly suspicious: boolean } {
  let size: JsonSize | undefined;
  const { suspicious } = doAtOnce(
    scanJson(Buffer.from(text), requestJsonLimit, (measuredSize) => {
      size = measuredSize;
    }),
  );
  return { ...(size as JsonSize), suspicious };
}

const isList = (value: object): value is unknown[] => Array.isArray(value);

/** The same count, made with the parsed value. */
function sizeOf(value: unknown): JsonSize {
  if (typeof value !== "object" || value === null) return { members: 0, values: 0 };
  const inner = Object.values(value).map(sizeOf);
  return {
    members: inner.reduce((sum, { members }) => sum + members, isList(value) ? 0 : inner.length),
    values: inner.reduce((sum, { values }) => sum + values, Math.max(inner.length, 1)),
  };
}

describe("the scan of JSON text", () => {
  it.each<[string, unknown]>([
    ["a text", "{[:,]}"],
    ["members", { a: 1, b: { c: [] }, "": null }],
    ["signs of JSON in names and texts", { "a:{": ':[\\"', '\\"': "\\\\" }],
    ["lists of lists", [[[]], [1, 2, [":"]], {}]],
  ])("counts members and values: %s", (_, value) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)])
      expect(scanned(text)).toMatchObject(sizeOf(value));
  });

  it("tells whether a text may be one that cannot be stored", () => {
    for (const text of ["\\u0000", "\\ud800", "\\uDFFF"]) expect(scanned(`"${text}"`).suspicious).toBe(true);
    for (const text of ["\\u0001", "\\\\u0000", "\\u00e9"]) expect(scanned(`"${text}"`).suspicious).toBe(false);
  });

  it("refuses more than 64 levels", () => {
    expect(scanned("[".repeat(64))).toMatchObject({ values: 64 });
    expect(() => scanned("[".repeat(65))).toThrow(expect.objectContaining({ code: "MALFORMED_JSON" }));
  });

  it("pauses in long text", () => {
    const text = Buffer.from(`"${"\\\\".repeat(500_000)}"`);
    expect([...scanJson(text, requestJsonLimit)]).toHaveLength(61);
  });
});
