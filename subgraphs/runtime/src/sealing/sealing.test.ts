import { createCipheriv, createHmac, hkdfSync } from "node:crypto";
import { DerivedSecrets } from "./derived-secrets.js";
import { EnvelopeSeal, isEnvelopeText } from "./envelope-seal.js";
import { someMasterKeys } from "./master-keys.fixture.js";
import { MasterKeys } from "./master-keys.js";
import { UnknownSealingKey, ValueSeal } from "./value-seal.js";

const label = "factory spine signing keys";
const sealOf = (...numbers: [number, ...number[]]) => new ValueSeal(someMasterKeys(...numbers).keyring(label));

describe("master keys", () => {
  it("derive as RFC 5869, appendix A.3, shows it: SHA-256 without salt and info", () => {
    const derived = Buffer.from(hkdfSync("sha256", Buffer.alloc(22, 0x0b), "", "", 42)).toString("hex");
    expect(derived).toBe("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
  });

  it("derive what was derived before, so that stored values stay readable", () => {
    const { bytes, id } = new MasterKeys(Buffer.alloc(32, 1)).keyring("credential key wrapping").newest;
    // extract, then one block of expand (RFC 5869, section 2)
    const prk = createHmac("sha256", Buffer.alloc(32)).update(Buffer.alloc(32, 1)).digest();
    const block = createHmac("sha256", prk)
      .update("credential key wrapping")
      .update(Buffer.from([1]))
      .digest();
    expect(bytes).toEqual(block);
    expect(id).toBe(createHmac("sha256", block).update("key id").digest("hex").slice(0, 16));
  });

  it("give each purpose another key and id, and a key that is named twice only once", () => {
    const keys = someMasterKeys(1, 2, 1);
    const rings = [keys.keyring("factory spine cookies"), keys.keyring("factory spine forms")];
    expect(new Set(rings.flatMap(({ all }) => all.map(({ id }) => id))).size).toBe(4);
    expect(rings.map(({ all }) => all.length)).toEqual([2, 2]);
  });

  it("refuse a short key", () => {
    expect(() => new MasterKeys(Buffer.alloc(32), Buffer.alloc(31))).toThrow("at least 32 bytes");
  });
});

describe("a sealed value", () => {
  it("opens with the same key and binding, and is never the same text twice", () => {
    const sealed = sealOf(1).seal("geheim ✓", "row 1");
    expect(sealOf(1).open(sealed, "row 1")).toEqual({ text: "geheim ✓", resealed: undefined });
    expect(sealOf(1).seal("geheim ✓", "row 1")).not.toBe(sealed);
  });

  it("is refused under another label, another binding, and with any bit flipped", () => {
    const keys = someMasterKeys(1);
    const sealed = sealOf(1).seal("x", "row 1");
    const other = keys.keyring("factory spine cookies");
    const relabelled = `${other.newest.id}.${sealed.split(".")[1]}`;
    for (const wrong of [sealed, relabelled]) expect(() => new ValueSeal(other).open(wrong, "row 1")).toThrow();
    expect(() => sealOf(1).open(sealed, "row 2")).toThrow();
    for (let place = 0; place < sealed.length; place += 1)
      for (let bit = 0; bit < 7; bit += 1) {
        const flipped = Buffer.from(sealed);
        flipped[place] = (flipped[place] ?? 0) ^ (1 << bit);
        expect(() => sealOf(1).open(flipped.toString("latin1"), "row 1")).toThrow();
      }
  });

  it("of a former master key opens and is resealed under the newest one", () => {
    const former = sealOf(1).seal("secret", "row");
    const { text, resealed = "" } = sealOf(2, 1).open(former, "row");
    expect(text).toBe("secret");
    expect(sealOf(2).open(resealed, "row")).toEqual({ text: "secret", resealed: undefined });
    expect(() => sealOf(2).open(former, "row")).toThrow(UnknownSealingKey);
  });

  it("of the form without a key id opens and is resealed, also with a second master key", () => {
    const cipher = createCipheriv("aes-256-gcm", someMasterKeys(1).keyring(label).newest.bytes, Buffer.alloc(12, 3));
    cipher.setAAD(Buffer.from("row"));
    const body = Buffer.concat([cipher.update("of before"), cipher.final()]);
    const sealed = Buffer.concat([Buffer.alloc(12, 3), cipher.getAuthTag(), body]).toString("base64url");
    for (const seal of [sealOf(1), sealOf(2, 1)]) {
      const { text, resealed = "" } = seal.open(sealed, "row");
      expect(text).toBe("of before");
      expect(seal.open(resealed, "row")).toEqual({ text: "of before", resealed: undefined });
    }
  });
});

describe("a sealed envelope", () => {
  const envelopes = (...numbers: [number, ...number[]]) =>
    new EnvelopeSeal(someMasterKeys(...numbers).keyring("credential key wrapping"));
  const plain = Buffer.from("material");

  it("is rewrapped under a new master key, and its ciphertext stays", () => {
    const sealed = envelopes(1).seal(plain, "row");
    const rewrapped = { ...sealed, ...envelopes(2, 1).rewrapped(sealed, "row") };
    expect(envelopes(2).open(rewrapped, "row")).toEqual(plain);
    expect(envelopes(2, 1).newestKeyId).toBe(rewrapped.keyId);
    expect(envelopes(1).newestKeyId).toBe(sealed.keyId);
    expect(() => envelopes(2).open(sealed, "row")).toThrow(UnknownSealingKey);
    expect(() => envelopes(2, 1).rewrapped(sealed, "another row")).toThrow();
  });

  it("is refused under another label", () => {
    const sealed = envelopes(1).seal(plain, "row");
    const other = someMasterKeys(1).keyring(label);
    expect(() => new EnvelopeSeal(other).open({ ...sealed, keyId: other.newest.id }, "row")).toThrow();
  });
});

describe("an envelope as text", () => {
  const envelopes = (...numbers: [number, ...number[]]) =>
    new EnvelopeSeal(someMasterKeys(...numbers).keyring("factory spine configuration"));

  it("opens and is rewrapped, and is refused with any character changed or of other base64url", () => {
    const sealed = envelopes(1).sealText("geheim ✓", "row");
    expect(isEnvelopeText(sealed)).toBe(true);
    expect(envelopes(1).openText(sealed, "row")).toBe("geheim ✓");
    const rewrapped = envelopes(2, 1).rewrappedText(sealed, "row");
    expect(rewrapped.split(".")[2]).toBe(sealed.split(".")[2]);
    expect(envelopes(2).openText(rewrapped, "row")).toBe("geheim ✓");
    expect(() => envelopes(1).openText(sealed, "row 2")).toThrow();
    for (let place = 0; place < sealed.length; place += 1) {
      const changed = `${sealed.slice(0, place)}${sealed[place] === "A" ? "B" : "A"}${sealed.slice(place + 1)}`;
      expect(() => envelopes(1).openText(changed, "row")).toThrow();
      expect(() => envelopes(2, 1).rewrappedText(changed, "row")).toThrow();
    }
  });
});

describe("a derived secret", () => {
  const secrets = (...numbers: [number, ...number[]]) =>
    new DerivedSecrets(someMasterKeys(...numbers).keyring("factory spine client secrets"));

  it("is the same for the same key, owner and nonce only", () => {
    const nonce = secrets(1).newNonce();
    const secret = secrets(1).derive("cli_a", nonce);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(secrets(1).derive("cli_a", nonce)).toBe(secret);
    expect(secrets(1).derive("cli_b", nonce)).not.toBe(secret);
    expect(secrets(1).derive("cli_a", secrets(1).newNonce())).not.toBe(secret);
  });

  it("survives a new master key, as long as the former one is configured", () => {
    const nonces = [secrets(1).newNonce(), "a nonce of before"];
    for (const nonce of nonces) expect(secrets(2, 1).derive("cli_a", nonce)).toBe(secrets(1).derive("cli_a", nonce));
    const [named = ""] = nonces;
    expect(secrets(2).canDerive(named)).toBe(false);
    expect(() => secrets(2).derive("cli_a", named)).toThrow(UnknownSealingKey);
  });

  it("is kept under a new master key, sealed for its owner, and then does without the former one", () => {
    for (const nonce of [secrets(1).newNonce(), "a nonce of before"]) {
      const kept = secrets(2, 1).renewed("cli_a", nonce);
      expect(secrets(2).derive("cli_a", kept)).toBe(secrets(1).derive("cli_a", nonce));
      expect(kept).not.toContain(secrets(1).derive("cli_a", nonce));
      const again = secrets(3, 2).renewed("cli_a", kept);
      expect(secrets(3).derive("cli_a", again)).toBe(secrets(1).derive("cli_a", nonce));
      expect(() => secrets(2).derive("cli_b", kept)).toThrow();
      expect(() => secrets(1).derive("cli_a", kept)).toThrow(UnknownSealingKey);
    }
  });
});
