import { uuidV7 } from "./uuid-v7.js";
import { decodeId, encodeId, newId } from "./wire-id.js";

describe("wire ids", () => {
  it("round-trip a uuid", () => {
    for (const uuid of ["00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff", uuidV7()])
      expect(decodeId("tpl", encodeId("tpl", uuid))).toBe(uuid);
  });

  it("are the 128 bits in base32, most significant first", () => {
    expect(encodeId("tpl", "00000000-0000-0000-0000-000000000000")).toBe(`tpl_${"0".repeat(26)}`);
    expect(encodeId("tpl", "ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe(`tpl_7${"z".repeat(25)}`);
    expect(encodeId("tpl", "0190f3c2-a4b5-7def-8123-456789abcdef")).toBe("tpl_01j3sw595nfqqr28t5cy4tqkff");
  });

  it("are prefix and 26 characters of Crockford base32", () => {
    expect(newId("tpl")).toMatch(/^tpl_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });

  it("refuse another prefix, another alphabet, another length and another type", () => {
    const id = newId("tpl");
    for (const wrong of [
      id.replace("tpl", "lib"),
      id.toUpperCase(),
      `${id}0`,
      id.slice(0, -1),
      `${id.slice(0, -1)}u`,
      `${id.slice(0, -1)}\u{e9}`,
      id.replace("_", "-"),
      id.replace(/_./, "_8"),
      7,
      null,
    ])
      expect(decodeId("tpl", wrong)).toBeUndefined();
  });

  it("sort in the order of creation", () => {
    const ids = Array.from({ length: 10_000 }, () => newId("tpl"));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
