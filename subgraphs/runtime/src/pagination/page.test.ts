import { pageSize } from "./page.js";

describe("a page size", () => {
  it.each([
    [undefined, 50],
    [null, 50],
    [1, 1],
    [200, 200],
  ])("that is %s becomes %s", (first, size) => {
    expect(pageSize(first)).toBe(size);
  });

  it.each([0, -1, 201])("of %s is refused with the bounds", (first) => {
    expect(() => pageSize(first)).toThrow("The page size must be from 1 to 200.");
  });
});
