import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { SecretVault } from "./secret-vault.js";

const owner = { tenantId: "ten_a", credentialId: "crd_a", version: 1 };
const secret = { signingSecret: "whsec_something", note: "ä" };
const vaultOf = (...numbers: [number, ...number[]]) => new SecretVault(someMasterKeys(...numbers));
const vault = vaultOf(1);

describe("secret vault", () => {
  it("opens what another instance with the same key sealed", () => {
    expect(vaultOf(1).open(owner, vault.seal(owner, secret))).toEqual(secret);
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

  it("opens what the release before master keys could change has sealed", () => {
    const sealed = {
      keyId: "fae50d3d4a139913",
      wrappedKey: Buffer.from(
        "f5Xge/xsw3X9RlVQtT6fJfWV0h3EqgV2zIRTsTpKMhL8S80bobDgHOaezIKxXUy06fe2jhK85A/o+MmU",
        "base64",
      ),
      ciphertext: Buffer.from(
        "AN+BfaGsAHWfoZIhNIaD5HgqJ+Zc1C5J03C8h/NEVMQWBu1O27F6WMXEVPSvpwTrtxAmr21CpY/hBObjRaPHhseJOIKKRp/pvS/v",
        "base64",
      ),
    };
    expect(new SecretVault(new MasterKeys(Buffer.alloc(32, 1))).open(owner, sealed)).toEqual(secret);
  });

  it("names a changed key instead of failing as damage", () => {
    expect(() => vaultOf(2).open(owner, vault.seal(owner, secret))).toThrow(
      expect.objectContaining({ code: "SECRET_STORE_UNAVAILABLE" }),
    );
  });

  it("digests equal secrets equally, under its own key only, and as before after a new master key", () => {
    expect(vault.digest({ a: 1, b: 2 })).toBe(vault.digest({ b: 2, a: 1 }));
    expect(vault.digest({ a: 1 })).not.toBe(vaultOf(2).digest({ a: 1 }));
    expect(vault.digest({ a: 1 })).toBe(vaultOf(2, 1).digest({ a: 1 }));
  });
});
