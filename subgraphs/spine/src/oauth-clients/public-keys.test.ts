import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { checkKeySet } from "./public-keys.js";

const jwk = (key: KeyObject, kid = "one") => ({ ...key.export({ format: "jwk" }), kid });
const ec = (namedCurve = "P-256") => generateKeyPairSync("ec", { namedCurve });
const rsa = (modulusLength: number, publicExponent?: number) =>
  generateKeyPairSync("rsa", { modulusLength, ...(publicExponent === undefined ? {} : { publicExponent }) });
const p256 = ec();
const ed25519 = generateKeyPairSync("ed25519");
const rsa2048 = rsa(2048);
const good = jwk(p256.publicKey);

const refusals = (...keys: unknown[]) => checkKeySet({ keys }).errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe("checkKeySet", () => {
  it("keeps of each key what verifies a signature", () => {
    const keys = [
      { ...good, alg: "ES256", use: "sig", key_ops: ["verify"], ext: true, x5c: ["MII"] },
      { ...jwk(ed25519.publicKey, "two"), alg: "EdDSA" },
      { ...jwk(rsa2048.publicKey, "three"), alg: "PS256" },
    ];
    const { keySet, errors } = checkKeySet({ keys });
    expect(errors).toEqual([]);
    expect(keySet.keys).toEqual([good, jwk(ed25519.publicKey, "two"), keys[2]]);
  });

  it.each([
    ["P-256", p256.privateKey, "d"],
    ["Ed25519", ed25519.privateKey, "d"],
    ["RSA", rsa2048.privateKey, "d"],
  ])("refuses a private key %s, and repeats nothing of it", (_, key, member) => {
    const sentKey = jwk(key);
    expect(refusals(sentKey)).toEqual([`/input/jwks/keys/0/${member} UNKNOWN_VALUE`]);
    expect(JSON.stringify(checkKeySet({ keys: [sentKey] }))).not.toContain(sentKey.d);
  });

  it.each([
    ["a symmetric key", { kty: "oct", k: "AAAA", kid: "one" }, "/k UNKNOWN_VALUE"],
    ["another type", { kty: "oct", kid: "one" }, "/kty UNKNOWN_VALUE"],
    ["another curve", jwk(ec("P-384").publicKey), "/kty UNKNOWN_VALUE"],
    ["a key for agreements", jwk(generateKeyPairSync("x25519").publicKey), "/kty UNKNOWN_VALUE"],
    ["a short RSA key", jwk(rsa(1024).publicKey), "/n OUT_OF_RANGE"],
    ["another RSA exponent", jwk(rsa(2048, 3).publicKey), "/n OUT_OF_RANGE"],
    ["a point beside the curve", { ...good, y: good.x }, " FORMAT"],
    ["missing members", { kty: "EC", crv: "P-256", kid: "one" }, " FORMAT"],
    ["no name", { ...good, kid: undefined }, "/kid FORMAT"],
    ["a name that no row can hold", { ...good, kid: "a\u0000" }, "/kid FORMAT"],
    ["another algorithm", { ...good, alg: "RS256" }, "/alg UNKNOWN_VALUE"],
    ["an HMAC algorithm", { ...jwk(rsa2048.publicKey), alg: "HS256" }, "/alg UNKNOWN_VALUE"],
    ["another use", { ...good, use: "enc" }, "/use UNKNOWN_VALUE"],
    ["other operations", { ...good, key_ops: ["encrypt"] }, "/key_ops UNKNOWN_VALUE"],
    ["no object", "key", " TYPE"],
  ])("refuses %s", (_, key, refusal) => {
    expect(refusals(key)).toEqual([`/input/jwks/keys/0${refusal}`]);
  });

  it("refuses a name that another key has", () => {
    expect(refusals(good, jwk(ed25519.publicKey))).toEqual(["/input/jwks/keys/1/kid DUPLICATE"]);
  });

  it("takes one to five", () => {
    const namedKeys = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...good, kid: `key-${index}` }));
    expect(refusals(...namedKeys(5))).toEqual([]);
    for (const keys of [[], namedKeys(6), undefined, good])
      expect(checkKeySet({ keys }).errors).toMatchObject([{ pointer: "/input/jwks/keys", code: "OUT_OF_RANGE" }]);
  });
});
