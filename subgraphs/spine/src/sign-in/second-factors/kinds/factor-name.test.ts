import { factorName } from "./factor-name.js";

describe("the name of a factor", () => {
  it("has no spaces around it", () => {
    expect([factorName("  Laptop "), factorName(""), factorName(null)]).toEqual(["Laptop", "", ""]);
  });

  it("has at most 100 characters, as people count them", () => {
    expect(factorName("\u{1f511}".repeat(100))).toBeDefined();
    expect(factorName("x".repeat(101))).toBeUndefined();
  });

  it("is a text that can be stored", () => {
    expect([factorName("a\u0000b"), factorName("a\ud800")]).toEqual([undefined, undefined]);
  });
});
