import { CursorCodec } from "./cursor.js";

const cursors = new CursorCodec(Buffer.alloc(32, 1));
const list = { list: "tenants", filter: { status: "Active" } };

describe("cursors", () => {
  it("give back the position of the list that made them", () => {
    const position = ["2026-01-01T00:00:00.000Z", "0190c0de-0000-7000-8000-000000000000"];
    expect(cursors.decode(list, cursors.encode(list, position))).toEqual(position);
  });

  it("do not fit another list, filter, key or spelling", () => {
    const cursor = cursors.encode(list, ["a", "b"]);
    const refused = { code: "INVALID_CURSOR" };
    const other = { list: "tenants", filter: { status: "Archived" } };
    expect(() => cursors.decode(other, cursor)).toThrow(expect.objectContaining(refused));
    expect(() => new CursorCodec(Buffer.alloc(32, 2)).decode(list, cursor)).toThrow(expect.objectContaining(refused));
    for (const wrong of ["", "x", "AAAA", `${cursor}AAAA`, cursor.slice(1), "../..", "ÄÖÜ"])
      expect(() => cursors.decode(list, wrong)).toThrow(expect.objectContaining(refused));
  });
});
