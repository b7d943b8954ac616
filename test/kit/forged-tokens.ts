import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Forged tokens that look like a valid one, by their fault. */
export async function forgedTokens(good: string): Promise<Record<string, string>> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const header = decodeProtectedHeader(good) as { alg: string };
  const claims = decodeJwt(good);
  const sign = (changes: object, more: object = {}) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...more }).sign(privateKey);
  const [, payload, signature] = good.split(".");
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  return {
    "no JWT": "garbage",
    "three parts of nothing": "a.b.c",
    "another key under our key's name": await sign({}),
    "another key, expired": await sign({ iat: hourAgo, nbf: hourAgo, exp: hourAgo + 900 }),
    "a key that it brings along": await sign({}, { jwk: await exportJWK(publicKey) }),
    "no signature": `${encode({ ...header, alg: "none" })}.${payload}.`,
    "other claims under a good signature": `${good.split(".")[0]}.${encode({ ...claims, scope: "tenant.manage" })}.${signature}`,
  };
}
