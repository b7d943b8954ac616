import { keyId, keyIn, platformKeyId, platformKeyIn } from "./key-id.js";
import { newId } from "./wire-id.js";

const [tenantId, other] = [newId("ten"), newId("ten")];

describe("the id of an object that is known by a key", () => {
  it.each(["dark-mode", "a", "limits.executions:per-day", "x".repeat(128)])("holds the key %s", (key) => {
    const id = keyId("flg", tenantId, key);
    expect(id).toMatch(/^flg_[\w-]+$/);
    expect(id.length).toBeLessThanOrEqual(200);
    expect(keyIn("flg", tenantId, id)).toBe(key);
    expect(platformKeyIn("edn", platformKeyId("edn", key))).toBe(key);
  });

  it("is another one in another tenant, which gets no key from it", () => {
    const id = keyId("flg", tenantId, "dark-mode");
    expect(id).not.toBe(keyId("flg", other, "dark-mode"));
    expect(keyIn("flg", other, id)).toBeUndefined();
  });

  it("has one spelling", () => {
    const id = keyId("flg", tenantId, "dark-mode");
    for (const spelling of [`${id}=`, `${id}A`, id.replace("flg", "cfg"), "flg_", "flg", "", `flg_${"é"}`]) {
      expect([spelling, keyIn("flg", tenantId, spelling)]).toEqual([spelling, undefined]);
      expect([spelling, platformKeyIn("flg", spelling)]).toEqual([spelling, undefined]);
    }
  });
});
