import { generateSigningSecret, parseSigningSecret } from "./signing-secret.js";

const encode = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

test("a generated secret is 32 fresh bytes", () => {
  const [first, second] = [generateSigningSecret(), generateSigningSecret()];
  expect(parseSigningSecret(first)).toHaveLength(32);
  expect(first).not.toBe(second);
});

test.each([24, 25, 32, 63, 64])("%d bytes are taken", (bytes) => {
  expect(parseSigningSecret(encode(bytes))).toEqual(Buffer.alloc(bytes, 7));
});

test.each([
  ["too short", encode(23)],
  ["too long", encode(65)],
  ["empty", "whsec_"],
  ["nothing", ""],
  ["no prefix", encode(32).slice(6)],
  ["prefix in capitals", encode(32).replace("whsec", "WHSEC")],
  ["prefix of a private key", encode(32).replace("whsec", "whsk")],
  ["prefix twice", `whsec_${encode(32)}`],
  ["leading space", ` ${encode(32)}`],
  ["trailing newline", `${encode(32)}\n`],
  ["space inside", `${encode(32).slice(0, 20)} ${encode(32).slice(20)}`],
  ["no padding", encode(32).replace(/=+$/, "")],
  ["too much padding", `${encode(32)}=`],
  ["unused bits set", `${encode(32).slice(0, -2)}d=`],
  ["base64url alphabet", `whsec_${Buffer.alloc(32, 0xff).toString("base64url")}`],
  ["words", "whsec_this is not base64 but long enough to be a key"],
])("%s is refused", (_, text) => {
  expect(parseSigningSecret(text)).toBeUndefined();
});
