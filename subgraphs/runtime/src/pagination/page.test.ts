import { connectionOf, pageOf, pageReach } from "./page.js";

describe("a page size", () => {
  it.each([
    [undefined, 50],
    [null, 50],
    [1, 1],
    [200, 200],
  ])("that is %s becomes %s, in both directions", (asked, size) => {
    expect(pageReach({ first: asked })).toEqual({ size, cursor: undefined, backward: false });
    expect(pageReach({ last: asked, before: "c" })).toEqual({ size, cursor: "c", backward: true });
  });

  it.each([0, -1, 201])("of %s is refused with the bounds", (size) => {
    for (const bounds of [{ first: size }, { last: size }])
      expect(() => pageReach(bounds)).toThrow("The page size must be from 1 to 200.");
  });
});

describe("a page", () => {
  it.each([
    ["/last", { first: 1, last: 1 }],
    ["/last", { last: 1, after: "c" }],
    ["/before", { first: 1, before: "c" }],
    ["/before", { after: "c", before: "c" }],
  ])("has one direction: %s", (pointer, bounds) => {
    const facts = expect.objectContaining({ errors: [expect.objectContaining({ pointer })] });
    const refusal = expect.objectContaining({ code: "VALIDATION_FAILED", facts });
    expect(() => pageReach(bounds)).toThrow(refusal);
  });

  const letters = ["d", "b", "a", "c"];
  const keyOf = (letter: string) => letter;

  it.each([
    [{ first: 2 }, "ab", [true, false]],
    [{ first: 2, after: "b" }, "cd", [false, true]],
    [{ first: 9, after: "d" }, "", [false, true]],
    [{ last: 2 }, "cd", [false, true]],
    [{ last: 2, before: "c" }, "ab", [true, false]],
    [{ last: 1, before: "c" }, "b", [true, true]],
  ])("%j has the items %j in the order of the list, and says what there is around it", (bounds, items, around) => {
    const reach = pageReach(bounds);
    const page = connectionOf(pageOf(letters, reach, { keyOf, cursorKey: reach.cursor }), reach, keyOf);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    expect(page.items.join("")).toBe(items);
    expect([hasNextPage, hasPreviousPage]).toEqual(around);
    expect([startCursor, endCursor]).toEqual([items.at(0) ?? null, items.at(-1) ?? null]);
    expect(page.nextCursor).toBe(hasNextPage ? endCursor : null);
  });
});
