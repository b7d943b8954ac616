import { seal, unseal } from "./seal.js";

describe("seal", () => {
  const key = Buffer.alloc(32, 1);

  it("opens with the same key and binding", () => {
    expect(unseal(key, seal(key, "geheim ✓", "kid-1"), "kid-1")).toBe("geheim ✓");
  });

  it("never gives the same text twice", () => {
    expect(seal(key, "same", "kid")).not.toBe(seal(key, "same", "kid"));
  });

  it("stays shut for another key, another binding and a changed byte", () => {
    const sealed = seal(key, "secret", "kid");
    const bytes = Buffer.from(sealed, "base64url");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => unseal(Buffer.alloc(32, 2), sealed, "kid")).toThrow();
    expect(() => unseal(key, sealed, "other")).toThrow();
    expect(() => unseal(key, bytes.toString("base64url"), "kid")).toThrow();
    expect(() => unseal(key, "AAAA", "kid")).toThrow();
  });
});
