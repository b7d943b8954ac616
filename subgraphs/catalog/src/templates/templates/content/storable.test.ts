import { storable } from "./storable.js";

describe("a stored text of a template", () => {
  it("has no character that PostgreSQL refuses, in names and in values", () => {
    const value = { "a\0": ["b\0", { c: "\ud800", d: 1, e: null, f: "\u{1f600}" }] };
    expect(storable(value)).toEqual({ "a\ufffd": ["b\ufffd", { c: "\ufffd", d: 1, e: null, f: "\u{1f600}" }] });
  });
});
