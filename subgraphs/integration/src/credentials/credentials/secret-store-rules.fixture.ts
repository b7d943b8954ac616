import { maxSecretBytes, type SecretOwner, type SecretStore, type StoredSecret } from "./secret-store.js";

/** Drivers over one storage. */
interface SecretStoreUnderTest {
  /** A driver as the first process has it. Two calls give two drivers that open what the other one sealed. */
  open(): SecretStore;
  /** A driver after its key has changed. It still opens what the first key protects. */
  withNewKey(): SecretStore;
  /** A driver that does not know the first key. */
  withOtherKey(): SecretStore;
}

const owner = { tenantId: "ten_a", credentialId: "crd_a", version: 1 };
const secret = { signingSecret: "whsec_something", note: "ä 😀 \u0000", list: [1, { deep: null }] };

const others: SecretOwner[] = [
  { ...owner, tenantId: "ten_b" },
  { ...owner, credentialId: "crd_b" },
  { ...owner, version: 2 },
];

const withFlippedBit = (bytes: Buffer, place: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
};

const wrappingOf = ({ keyId, wrappedKey }: StoredSecret) => ({ keyId, wrappedKey: wrappedKey ?? Buffer.alloc(0) });

/** The rules for the port `SecretStore`, as tests for one driver. */
export function describeSecretStore(name: string, drivers: SecretStoreUnderTest): void {
  describe(`the secret store "${name}"`, () => {
    it("opens what another instance sealed, also an empty secret", async () => {
      for (const material of [secret, {}])
        expect(await drivers.open().open(owner, await drivers.open().seal(owner, material))).toEqual(material);
    });

    it("never seals the same secret to the same bytes, and shows none of it", async () => {
      const store = drivers.open();
      const [first, other] = [await store.seal(owner, secret), await store.seal(owner, secret)];
      expect(first.ciphertext.equals(other.ciphertext)).toBe(false);
      expect(wrappingOf(first).wrappedKey.equals(wrappingOf(other).wrappedKey)).toBe(false);
      expect(Buffer.concat([first.ciphertext, wrappingOf(first).wrappedKey]).includes("whsec")).toBe(false);
    });

    it.each(others)("opens and rewraps nothing for %j", async (other) => {
      const store = drivers.open();
      const sealedSecret = await store.seal(owner, secret);
      await expect(store.open(other, sealedSecret)).rejects.toThrow();
      await expect(store.rewrapped(other, wrappingOf(sealedSecret))).rejects.toThrow();
    });

    it("opens nothing with any byte changed, cut off or taken from another version", async () => {
      const store = drivers.open();
      const sealedSecret = await store.seal(owner, secret);
      const { wrappedKey } = wrappingOf(sealedSecret);
      for (let place = 0; place < sealedSecret.ciphertext.length; place += 1)
        await expect(
          store.open(owner, { ...sealedSecret, ciphertext: withFlippedBit(sealedSecret.ciphertext, place) }),
        ).rejects.toThrow();
      for (let place = 0; place < wrappedKey.length; place += 1)
        await expect(
          store.open(owner, { ...sealedSecret, wrappedKey: withFlippedBit(wrappedKey, place) }),
        ).rejects.toThrow();
      const shorter = { ...sealedSecret, ciphertext: sealedSecret.ciphertext.subarray(0, -1) };
      await expect(store.open(owner, shorter)).rejects.toThrow();
      await expect(store.open(owner, { ...sealedSecret, ciphertext: Buffer.alloc(0) })).rejects.toThrow();
      const second = await store.seal({ ...owner, version: 2 }, secret);
      await expect(store.open(owner, { ...sealedSecret, wrappedKey: second.wrappedKey })).rejects.toThrow();
    });

    it("answers SECRET_STORE_UNAVAILABLE while the key of a secret is unknown", async () => {
      const sealedSecret = await drivers.open().seal(owner, secret);
      const unavailable = expect.objectContaining({ code: "SECRET_STORE_UNAVAILABLE" });
      const unknown = { ...sealedSecret, keyId: "0123456789abcdef" };
      await expect(drivers.withOtherKey().open(owner, sealedSecret)).rejects.toThrow(unavailable);
      await expect(drivers.withOtherKey().rewrapped(owner, wrappingOf(sealedSecret))).rejects.toThrow(unavailable);
      await expect(drivers.open().open(owner, unknown)).rejects.toThrow(unavailable);
    });

    it("makes a destroyed secret unreadable for every key", async () => {
      const store = drivers.open();
      const emptyMaterial = await store.destroyed(owner, await store.seal(owner, secret));
      expect(emptyMaterial.wrappedKey).toBeNull();
      for (const driver of [drivers.open(), drivers.withNewKey(), drivers.withOtherKey()])
        await expect(driver.open(owner, emptyMaterial)).rejects.toThrow(
          expect.objectContaining({ code: "INVALID_STATE" }),
        );
    });

    it("rewraps for a new key, leaves the ciphertext, and then does without the former key", async () => {
      const sealedSecret = await drivers.open().seal(owner, secret);
      const renewedStore = drivers.withNewKey();
      expect(await renewedStore.open(owner, sealedSecret)).toEqual(secret);
      const rewrappedSecret = { ...sealedSecret, ...(await renewedStore.rewrapped(owner, wrappingOf(sealedSecret))) };
      expect(rewrappedSecret.keyId).toBe(renewedStore.newestKeyId);
      expect(rewrappedSecret.keyId).not.toBe(drivers.open().newestKeyId);
      expect(rewrappedSecret.ciphertext.equals(sealedSecret.ciphertext)).toBe(true);
      expect(await renewedStore.open(owner, rewrappedSecret)).toEqual(secret);
      await expect(drivers.open().open(owner, rewrappedSecret)).rejects.toThrow();
      expect((await renewedStore.seal(owner, secret)).keyId).toBe(renewedStore.newestKeyId);
    });

    it("takes secrets up to its limit and refuses larger ones by VALIDATION_FAILED", async () => {
      const store = drivers.open();
      const overhead = JSON.stringify({ value: "" }).length;
      const largest = { value: "x".repeat(maxSecretBytes - overhead) };
      expect(await store.open(owner, await store.seal(owner, largest))).toEqual(largest);
      await expect(store.seal(owner, { value: `${largest.value}x` })).rejects.toThrow(
        expect.objectContaining({ code: "VALIDATION_FAILED" }),
      );
    });
  });
}
