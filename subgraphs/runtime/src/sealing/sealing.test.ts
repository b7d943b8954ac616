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
    const derivedKey = Buffer.from(hkdfSync("sha256", Buffer.alloc(22, 0x0b), "", "", 42)).toString("hex");
    expect(derivedKey).toBe("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
  });

  it("derive what was derived before, so that stored values stay readable", () => {
    const { bytes, id } = new MasterKeys(Buffer.alloc(32, 1)).keyring("credential key wrapping").newest;
    // extract, then one block from expand (RFC 5869, section 2)
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
    const sealedText = sealOf(1).seal("geheim ✓", "row 1");
    expect(sealOf(1).open(sealedText, "row 1")).toEqual({ text: "geheim ✓", resealed: undefined });
    expect(sealOf(1).seal("geheim ✓", "row 1")).not.toBe(sealedText);
  });

  it("is refused under another label, another binding, and with any bit flipped", () => {
    const keys = someMasterKeys(1);
    const sealedText = sealOf(1).seal("x", "row 1");
    const other = keys.keyring("factory spine cookies");
    const relabelledText = `${other.newest.id}.${sealedText.split(".")[1]}`;
    for (const wrong of [sealedText, relabelledText]) expect(() => new ValueSeal(other).open(wrong, "row 1")).toThrow();
    expect(() => sealOf(1).open(sealedText, "row 2")).toThrow();
    for (let place = 0; place < sealedText.length; place += 1)
      for (let bit = 0; bit < 7; bit += 1) {
        const flippedBytes = Buffer.from(sealedText);
        flippedBytes[place] = (flippedBytes[place] ?? 0) ^ (1 << bit);
        expect(() => sealOf(1).open(flippedBytes.toString("latin1"), "row 1")).toThrow();
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
    const sealedText = Buffer.concat([Buffer.alloc(12, 3), cipher.getAuthTag(), body]).toString("base64url");
    for (const seal of [sealOf(1), sealOf(2, 1)]) {
      const { text, resealed = "" } = seal.open(sealedText, "row");
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
    const envelope = envelopes(1).seal(plain, "row");
    const rewrappedEnvelope = { ...envelope, ...envelopes(2, 1).rewrapped(envelope, "row") };
    expect(envelopes(2).open(rewrappedEnvelope, "row")).toEqual(plain);
    expect(envelopes(2, 1).newestKeyId).toBe(rewrappedEnvelope.keyId);
    expect(envelopes(1).newestKeyId).toBe(envelope.keyId);
    expect(() => envelopes(2).open(envelope, "row")).toThrow(UnknownSealingKey);
    expect(() => envelopes(2, 1).rewrapped(envelope, "another row")).toThrow();
  });

  it("is refused under another label", () => {
    const envelope = envelopes(1).seal(plain, "row");
    const other = someMasterKeys(1).keyring(label);
    expect(() => new EnvelopeSeal(other).open({ ...envelope, keyId: other.newest.id }, "row")).toThrow();
  });
});

describe("an envelope as text", () => {
  const envelopes = (...numbers: [number, ...number[]]) =>
    new EnvelopeSeal(someMasterKeys(...numbers).keyring("factory spine configuration"));

  it("opens and is rewrapped, and is refused with any character changed or of other base64url", () => {
    const sealedText = envelopes(1).sealText("geheim ✓", "row");
    expect(isEnvelopeText(sealedText)).toBe(true);
    expect(envelopes(1).openText(sealedText, "row")).toBe("geheim ✓");
    const rewrappedText = envelopes(2, 1).rewrappedText(sealedText, "row");
    expect(rewrappedText.split(".")[2]).toBe(sealedText.split(".")[2]);
    expect(envelopes(2).openText(rewrappedText, "row")).toBe("geheim ✓");
    expect(() => envelopes(1).openText(sealedText, "row 2")).toThrow();
    for (let place = 0; place < sealedText.length; place += 1) {
      const changedText = `${sealedText.slice(0, place)}${sealedText[place] === "A" ? "B" : "A"}${sealedText.slice(place + 1)}`;
      expect(() => envelopes(1).openText(changedText, "row")).toThrow();
      expect(() => envelopes(2, 1).rewrappedText(changedText, "row")).toThrow();
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
    const [namedNonce = ""] = nonces;
    expect(secrets(2).canDerive(namedNonce)).toBe(false);
    expect(() => secrets(2).derive("cli_a", namedNonce)).toThrow(UnknownSealingKey);
  });

  it("is kept under a new master key, sealed for its owner, and then does without the former one", () => {
    for (const nonce of [secrets(1).newNonce(), "a nonce of before"]) {
      const keptNonce = secrets(2, 1).renewed("cli_a", nonce);
      expect(secrets(2).derive("cli_a", keptNonce)).toBe(secrets(1).derive("cli_a", nonce));
      expect(keptNonce).not.toContain(secrets(1).derive("cli_a", nonce));
      const again = secrets(3, 2).renewed("cli_a", keptNonce);
      expect(secrets(3).derive("cli_a", again)).toBe(secrets(1).derive("cli_a", nonce));
      expect(() => secrets(2).derive("cli_b", keptNonce)).toThrow();
      expect(() => secrets(1).derive("cli_a", keptNonce)).toThrow(UnknownSealingKey);
    }
  });
});
