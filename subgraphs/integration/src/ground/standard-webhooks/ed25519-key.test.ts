import { webcrypto } from "node:crypto";
import { generateEd25519Secret, isEd25519Secret, publicKeyOf, signEd25519, verifyEd25519 } from "./ed25519-key.js";
import { generateSigningSecret } from "./signing-secret.js";
import { signWebhook, verifyWebhook } from "./webhook-signature.js";

/** RFC 8032, section 7.1, test 3. */
const vector = {
  seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
  publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
  message: "af82",
  signature:
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
};
const bytes = (...hex: string[]) => Buffer.from(hex.join(""), "hex");
const secretOf = (...hex: string[]) => `whsk_${bytes(...hex).toString("base64")}`;

test.each([
  ["the seed", secretOf(vector.seed)],
  ["the seed with the public key", secretOf(vector.seed, vector.publicKey)],
])("signs as RFC 8032 does with %s", (_, secret) => {
  expect(isEd25519Secret(secret)).toBe(true);
  expect(publicKeyOf(secret)).toBe(`whpk_${bytes(vector.publicKey).toString("base64")}`);
  expect(signEd25519(secret, bytes(vector.message))?.toString("hex")).toBe(vector.signature);
});

test.each([
  ["a symmetric secret", generateSigningSecret()],
  ["a public key", `whpk_${bytes(vector.publicKey).toString("base64")}`],
  ["the public key of another seed", secretOf(vector.seed, vector.seed)],
  ["33 bytes", secretOf(vector.seed, "00")],
  ["nothing", "whsk_"],
  ["no padding", secretOf(vector.seed).replace(/=+$/, "")],
  ["a trailing newline", `${secretOf(vector.seed)}\n`],
])("%s is not a private key", (_, text) => {
  expect(isEd25519Secret(text)).toBe(false);
  expect(publicKeyOf(text)).toBeUndefined();
  expect(signEd25519(text, bytes(vector.message))).toBeUndefined();
});

test("a generated key has 64 fresh bytes", () => {
  const [first, second] = [generateEd25519Secret(), generateEd25519Secret()];
  expect(Buffer.from(first.slice(5), "base64")).toHaveLength(64);
  expect(isEd25519Secret(first)).toBe(true);
  expect(first).not.toBe(second);
});

describe("a webhook that is signed with both kinds of secrets", () => {
  const now = new Date(1_674_087_231_000);
  const webhook = {
    id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    timestamp: 1_674_087_231,
    body: '{"type":"contact.created"}',
  };
  const [key, symmetric] = [generateEd25519Secret(), generateSigningSecret()];
  const headers = {
    "webhook-id": webhook.id,
    "webhook-timestamp": String(webhook.timestamp),
    "webhook-signature": signWebhook({ ...webhook, secrets: [key, symmetric] }),
  };
  const outcome = (secret: string, body = webhook.body) => verifyWebhook(headers, body, [secret], { now }).verified;

  it("has the signatures in the order of the secrets", () => {
    expect(headers["webhook-signature"]).toMatch(/^v1a,[A-Za-z0-9+/]{86}== v1,[A-Za-z0-9+/]{43}=$/);
  });

  it("is verified by WebCrypto with the published key", async () => {
    const raw = Buffer.from((publicKeyOf(key) ?? "").replace("whpk_", ""), "base64");
    const publicKey = await webcrypto.subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]);
    const signature = Buffer.from(headers["webhook-signature"].split(" ")[0]?.slice(4) ?? "", "base64");
    const verify = (body: string) =>
      webcrypto.subtle.verify(
        "Ed25519",
        publicKey,
        signature,
        Buffer.from(`${webhook.id}.${webhook.timestamp}.${body}`),
      );
    expect([await verify(webhook.body), await verify(`${webhook.body} `)]).toEqual([true, false]);
  });

  it("is verified by the private key, the public key and the symmetric secret", () => {
    const publicKey = publicKeyOf(key) ?? "";
    expect([key, publicKey, symmetric].map((secret) => outcome(secret))).toEqual([true, true, true]);
    expect([key, publicKey, symmetric].map((secret) => outcome(secret, "other"))).toEqual([false, false, false]);
    expect([generateEd25519Secret(), generateSigningSecret()].map((secret) => outcome(secret))).toEqual([false, false]);
  });

  it("a key that is not valid signs and verifies nothing", () => {
    for (const brokenKey of ["whsk_", "whsk_AAAA", "whpk_"]) {
      expect(() => signWebhook({ ...webhook, secrets: [brokenKey] })).toThrow(TypeError);
      expect(() => verifyWebhook(headers, webhook.body, [brokenKey], { now })).toThrow(TypeError);
    }
    expect(() => verifyEd25519("whpk_AAAA", Buffer.alloc(1), Buffer.alloc(64))).toThrow(TypeError);
  });
});
