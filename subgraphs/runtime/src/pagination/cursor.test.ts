import { CursorSeal } from "./cursor.js";

const cursors = new CursorSeal(Buffer.alloc(32, 1));
const list = { list: "tenants", filter: { status: "Active" } };

describe("cursors", () => {
  it("give back the position of the list that made them", () => {
    const position = ["2026-01-01T00:00:00.000Z", "0190c0de-0000-7000-8000-000000000000"];
    expect(cursors.open(list, cursors.seal(list, position))).toEqual(position);
  });

  it("do not fit another list, filter, key or spelling", () => {
    const cursor = cursors.seal(list, ["a", "b"]);
    const refused = { code: "INVALID_CURSOR" };
    const other = { list: "tenants", filter: { status: "Archived" } };
    expect(() => cursors.open(other, cursor)).toThrow(expect.objectContaining(refused));
    expect(() => new CursorSeal(Buffer.alloc(32, 2)).open(list, cursor)).toThrow(expect.objectContaining(refused));
    const padded = [1, 2, 3].map((length) => `${cursors.seal(list, "a".repeat(length))}x`);
    for (const wrong of [...padded, "", "x", "AAAA", `${cursor}AAAA`, cursor.slice(1), "../..", "ÄÖÜ"])
      expect(() => cursors.open(list, wrong)).toThrow(expect.objectContaining(refused));
  });
});
