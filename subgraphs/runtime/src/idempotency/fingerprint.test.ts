import { fingerprint } from "./fingerprint.js";

describe("fingerprint", () => {
  it("ignores the order of members and members without a value", () => {
    expect(fingerprint({ b: [1, { d: 1, c: 2 }], a: "x" })).toBe(
      fingerprint({ a: "x", z: undefined, b: [1, { c: 2, d: 1 }] }),
    );
  });

  it.each([
    [{ a: 1 }, { a: "1" }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: [undefined] }, { a: [] }],
  ])("tells %j from %j", (value, other) => {
    expect(fingerprint(value)).not.toBe(fingerprint(other));
  });
});
