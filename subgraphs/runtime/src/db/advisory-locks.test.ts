import { advisoryLocks, hashedLocks } from "./advisory-locks.js";

describe("advisory locks", () => {
  it("have different numbers", () => {
    const numbers = Object.values(advisoryLocks);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("of a text differ for the same id", () => {
    const texts = Object.values(hashedLocks).map((text) => text("ten_1"));
    expect(new Set(texts).size).toBe(texts.length);
  });
});
