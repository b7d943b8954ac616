import { cellText } from "./cell-text.js";

describe("cellText", () => {
  it.each([
    [null, "text", ""],
    ["=1", "text", "=1"],
    [1_234_567, "integer", "1,234,567"],
    [-999, "integer", "-999"],
    [-1_000, "integer", "-1,000"],
    [Number.MAX_SAFE_INTEGER, "integer", "9,007,199,254,740,991"],
    [0.1 + 0.2, "decimal", "0.3"],
    [12_345.678, "decimal", "12,345.678"],
    [1e300, "decimal", "1e+300"],
    [true, "boolean", "yes"],
    ["2026-11-02", "date", "2026-11-02"],
    [new Date("2026-11-02T08:00:00.123Z"), "date-time", "2026-11-02 08:00:00"],
  ] as const)("shows %j of the kind %s as %j", (cell, kind, text) => {
    expect(cellText(cell, kind)).toBe(text);
  });
});
