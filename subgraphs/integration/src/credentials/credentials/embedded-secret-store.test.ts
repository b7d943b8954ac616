import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { EmbeddedSecretStore } from "./embedded-secret-store.js";
import { SecretDigest } from "./secret-digest.js";
import { describeSecretStore } from "./secret-store-rules.fixture.js";

const storeOf = (...numbers: [number, ...number[]]) => new EmbeddedSecretStore(someMasterKeys(...numbers));

describeSecretStore("embedded", {
  open: () => storeOf(1),
  withNewKey: () => storeOf(2, 1),
  withOtherKey: () => storeOf(3),
});

describe("the embedded secret store", () => {
  it("opens what the release before master keys could change has sealed", async () => {
    const sealedSecret = {
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
    const store = new EmbeddedSecretStore(new MasterKeys(Buffer.alloc(32, 1)));
    expect(await store.open({ tenantId: "ten_a", credentialId: "crd_a", version: 1 }, sealedSecret)).toEqual({
      signingSecret: "whsec_something",
      note: "ä",
    });
  });
});

describe("the digest of a secret", () => {
  const digestOf = (...numbers: [number, ...number[]]) => new SecretDigest(someMasterKeys(...numbers));

  it("is equal for equal secrets, under its own key only, and is found again after a new master key", () => {
    expect(digestOf(1).of({ a: 1, b: 2 })).toBe(digestOf(1).of({ b: 2, a: 1 }));
    expect(digestOf(1).of({ a: 1 })).not.toBe(digestOf(2).of({ a: 1 }));
    expect(digestOf(2, 1).formerly({ a: 1 })).toEqual([digestOf(1).of({ a: 1 })]);
    expect(digestOf(2, 1).of({ a: 1 })).toBe(digestOf(2).of({ a: 1 }));
  });
});
