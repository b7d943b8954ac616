import { createHmac } from "node:crypto";
import { fingerprint } from "../idempotency/fingerprint.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { CursorSeal } from "./cursor.js";

const cursorsOf = (...numbers: [number, ...number[]]) =>
  new CursorSeal(someMasterKeys(...numbers).keyring("list cursors"));
const cursors = cursorsOf(1);
const list = { list: "tenants", filter: { status: "Active" } };
const invalidCursor = expect.objectContaining({ code: "INVALID_CURSOR" });

describe("cursors", () => {
  it("give back the position of the list that made them", () => {
    const position = ["2026-01-01T00:00:00.000Z", "0190c0de-0000-7000-8000-000000000000"];
    expect(cursors.open(list, cursors.seal(list, position))).toEqual(position);
  });

  it("do not fit another list, filter, key, label or spelling", () => {
    const cursor = cursors.seal(list, ["a", "b"]);
    const other = { list: "tenants", filter: { status: "Archived" } };
    expect(() => cursors.open(other, cursor)).toThrow(invalidCursor);
    expect(() => cursorsOf(2).open(list, cursor)).toThrow(invalidCursor);
    const labelledSeal = new CursorSeal(someMasterKeys(1).keyring("factory spine list cursors"));
    expect(() => labelledSeal.open(list, cursor)).toThrow(invalidCursor);
    const paddedCursors = [1, 2, 3].map((length) => `${cursors.seal(list, "a".repeat(length))}x`);
    for (const wrong of [...paddedCursors, "", "x", "AAAA", `${cursor}AAAA`, cursor.slice(1), "../..", "ÄÖÜ"])
      expect(() => cursors.open(list, wrong)).toThrow(invalidCursor);
  });

  it("survive a new master key while the former one is configured", () => {
    const cursor = cursors.seal(list, ["a"]);
    expect(cursorsOf(2, 1).open(list, cursor)).toEqual(["a"]);
    expect(cursorsOf(2, 1).seal(list, ["a"])).toBe(cursorsOf(2).seal(list, ["a"]));
  });

  it("that were given out before they named their key stay good", () => {
    const keys = someMasterKeys(2, 1);
    const ofBefore = (key: Buffer, text: string) => {
      const mac = createHmac("sha256", key).update(fingerprint(list)).update(text).digest().subarray(0, 16);
      return Buffer.concat([mac, Buffer.from(text)]).toString("base64url");
    };
    const derivedKey = ofBefore(keys.keyring("list cursors").oldest.bytes, '["a"]');
    expect(cursorsOf(2, 1).open(list, derivedKey)).toEqual(["a"]);
    // the catalog signed with the master key itself
    const raw = ofBefore(Buffer.alloc(32, 1), '["a"]');
    const catalog = new CursorSeal(keys.keyring("factory catalog list cursors"), keys.underived);
    expect(catalog.open(list, raw)).toEqual(["a"]);
    expect(() => cursorsOf(2, 1).open(list, raw)).toThrow(invalidCursor);
  });
});
