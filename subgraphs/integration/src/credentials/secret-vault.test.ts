import { randomBytes } from "node:crypto";
import { SecretVault } from "./secret-vault.js";

const owner = { tenantId: "ten_a", credentialId: "crd_a", version: 1 };
const secret = { signingSecret: "whsec_something", note: "ä" };
const key = randomBytes(32);
const vault = new SecretVault(key);

describe("secret vault", () => {
  it("opens what another instance with the same key sealed", () => {
    expect(new SecretVault(key).open(owner, vault.seal(owner, secret))).toEqual(secret);
  });

  it("never seals the same secret to the same bytes, and shows none of it", () => {
    const [one, other] = [vault.seal(owner, secret), vault.seal(owner, secret)];
    expect(one.ciphertext.equals(other.ciphertext)).toBe(false);
    expect(one.wrappedKey.equals(other.wrappedKey)).toBe(false);
    expect(one.ciphertext.includes("whsec")).toBe(false);
  });

  it.each([
    { ...owner, tenantId: "ten_b" },
    { ...owner, credentialId: "crd_b" },
    { ...owner, version: 2 },
  ])("does not open for %j", (other) => {
    expect(() => vault.open(other, vault.seal(owner, secret))).toThrow();
  });

  it("does not open altered bytes", () => {
    const sealed = vault.seal(owner, secret);
    sealed.ciphertext[sealed.ciphertext.length - 1]! ^= 1;
    expect(() => vault.open(owner, sealed)).toThrow();
  });

  it("names a changed key instead of failing as damage", () => {
    expect(() => new SecretVault(randomBytes(32)).open(owner, vault.seal(owner, secret))).toThrow(
      expect.objectContaining({ code: "SECRET_STORE_UNAVAILABLE" }),
    );
  });

  it("refuses a short key", () => {
    expect(() => new SecretVault(randomBytes(31))).toThrow("at least 32 bytes");
  });

  it("digests equal secrets equally, under its own key only", () => {
    expect(vault.digest({ a: 1, b: 2 })).toBe(vault.digest({ b: 2, a: 1 }));
    expect(vault.digest({ a: 1 })).not.toBe(new SecretVault(randomBytes(32)).digest({ a: 1 }));
  });
});
