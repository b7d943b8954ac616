import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import type { JwsAlgorithm } from "@factory/schema/vocabularies/signatures";
import { jwsAlgorithms } from "@factory/schema/vocabularies/signatures";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { FlattenedSign, type JWK } from "jose";
import { verifyJws } from "./detached-jws.js";
import type { InboundMessage } from "./inbound-message.js";
import { type JwsScheme } from "./signature-scheme.js";

const algorithms = valuesOf(jwsAlgorithms);
const scheme: JwsScheme = {
  kind: "jws",
  header: "x-jws-signature",
  algorithms,
  jwksUrl: "https://vendor.example/jwks",
};
const now = new Date(1_700_000_000_000);
const body = '{"id":"evt_1","amount":100}';

const aMessage = (jws: string | string[], content: string = body): InboundMessage => ({
  headers: new Map([["x-jws-signature", [jws].flat()]]),
  body: Buffer.from(content),
  url: "https://platform.example/webhooks",
});

const verdict = (message: InboundMessage, keys: readonly JWK[], changes: Partial<JwsScheme> = {}) =>
  verifyJws({ ...scheme, ...changes }, message, async () => keys, now);

const pairs: Record<JwsAlgorithm, { privateKey: KeyObject; publicKey: KeyObject }> = {
  EdDSA: generateKeyPairSync("ed25519"),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  PS256: generateKeyPairSync("rsa", { modulusLength: 2_048 }),
  RS256: generateKeyPairSync("rsa", { modulusLength: 2_048 }),
};
const jwkOf = (alg: JwsAlgorithm, members: Partial<JWK> = {}): JWK =>
  ({ ...pairs[alg].publicKey.export({ format: "jwk" }), kid: `key-${alg}`, ...members }) as JWK;
const keys = algorithms.map((alg) => jwkOf(alg));

async function signed(header: Record<string, unknown>, key?: KeyObject | Uint8Array, content = body): Promise<string> {
  const alg = header["alg"] as JwsAlgorithm;
  const signer = new FlattenedSign(Buffer.from(content)).setProtectedHeader({ ...header, alg });
  const jws = await signer.sign(key ?? pairs[alg].privateKey);
  return `${jws.protected}..${jws.signature}`;
}

describe("published examples", () => {
  it("RFC 7515 appendix A.3, detached as in appendix F", async () => {
    const key = {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    };
    const signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    const payload = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
    expect(await verdict(aMessage(`eyJhbGciOiJFUzI1NiJ9..${signature}`, payload), [key])).toBe("valid");
    expect(await verdict(aMessage(`eyJhbGciOiJFUzI1NiJ9..${signature}`, `${payload} `), [key])).toBe("invalid");
  });

  it("RFC 8037 appendix A.4", async () => {
    const key = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
    const signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    const message = aMessage(`eyJhbGciOiJFZERTQSJ9..${signature}`, "Example of Ed25519 signing");
    expect(await verdict(message, [key])).toBe("valid");
  });
});

describe.each(algorithms)("a detached JWS with %s", (alg) => {
  const kid = `key-${alg}`;

  it.each([
    ["encoded content", { alg, kid }],
    ["content that is declared as encoded", { alg, kid, b64: true, crit: ["b64"] }],
    ["content as it is", { alg, kid, b64: false, crit: ["b64"] }],
    ["no key id", { alg }],
  ])("is valid with %s", async (_, header) => {
    const jws = await signed(header);
    expect(await verdict(aMessage(jws), keys)).toBe("valid");
    expect(await verdict(aMessage(jws, `${body} `), keys)).toBe("invalid");
    expect(await verdict(aMessage(jws, ""), keys)).toBe("invalid");
  });

  it("is not valid after a change, or with a header given twice", async () => {
    const jws = await signed({ alg, kid });
    const [header = "", , signature = ""] = jws.split(".");
    const changedSignature = `${signature.slice(0, 20)}${signature[20] === "A" ? "B" : "A"}${signature.slice(21)}`;
    const texts = [
      `${header}..${changedSignature}`,
      `${header}.e30.${signature}`,
      `${header}..${signature.slice(0, -4)}`,
    ];
    const others = [`${header}..${signature}AAAA`, `${header}..`, "", `${jws}.`, ` ${jws}`, `${header}=..${signature}`];
    for (const text of [...texts, ...others]) expect(await verdict(aMessage(text), keys)).toBe("invalid");
    expect(await verdict(aMessage([jws, jws]), keys)).toBe("invalid");
  });

  it("is not valid with a key for something else", async () => {
    const message = aMessage(await signed({ alg, kid }));
    expect(await verdict(message, [jwkOf(alg, { use: "enc" })])).toBe("invalid");
    expect(await verdict(message, [jwkOf(alg, { key_ops: ["sign"] })])).toBe("invalid");
    expect(await verdict(message, [jwkOf(alg, { alg: "RS512" })])).toBe("invalid");
    expect(await verdict(message, [jwkOf(alg, { kid: "another" })])).toBe("invalid");
    expect(await verdict(message, [])).toBe("invalid");
    expect(await verdict(message, keys, { algorithms: algorithms.filter((other) => other !== alg) })).toBe("invalid");
  });
});

const encode = (header: unknown) => Buffer.from(JSON.stringify(header)).toString("base64url");

it("unsigned content and an HMAC with a public key are never valid", async () => {
  for (const alg of ["none", "None", "HS256"])
    for (const signature of ["", "AA"])
      expect(await verdict(aMessage(`${encode({ alg })}..${signature}`), keys)).toBe("invalid");
  const publicKey = Buffer.from(pairs.RS256.publicKey.export({ format: "pem", type: "spki" }));
  const confusedToken = await signed({ alg: "HS256" }, publicKey);
  expect(await verdict(aMessage(confusedToken), keys)).toBe("invalid");
  const secret = { kty: "oct", k: publicKey.toString("base64url"), kid: "key-RS256" };
  expect(await verdict(aMessage(confusedToken), [secret])).toBe("invalid");
});

it.each([
  ["an unknown critical header", { alg: "EdDSA", crit: ["exp"], exp: 1 }],
  ["a repeated critical header", { alg: "EdDSA", crit: ["b64", "b64"], b64: true }],
  ["an empty list of critical headers", { alg: "EdDSA", crit: [] }],
  ["a critical header that is missing", { alg: "EdDSA", crit: ["b64"] }],
  ["b64 that is not critical", { alg: "EdDSA", b64: false }],
  ["b64 of another type", { alg: "EdDSA", b64: "false", crit: ["b64"] }],
  ["a time that is not a whole number", { alg: "EdDSA", iat: "1700000000" }],
  ["a key id that is not a text", { alg: "EdDSA", kid: 1 }],
])("%s makes a JWS invalid", async (_, header) => {
  const protectedHeader = encode(header);
  const { sign } = await import("node:crypto");
  for (const payload of [body, Buffer.from(body).toString("base64url")]) {
    const signature = sign(null, Buffer.from(`${protectedHeader}.${payload}`), pairs.EdDSA.privateKey);
    expect(await verdict(aMessage(`${protectedHeader}..${signature.toString("base64url")}`), keys)).toBe("invalid");
  }
});

it("a JWS with a time expires after 300 s", async () => {
  const at = now.getTime() / 1_000;
  expect(await verdict(aMessage(await signed({ alg: "EdDSA", iat: at - 300 })), keys)).toBe("valid");
  expect(await verdict(aMessage(await signed({ alg: "EdDSA", iat: at - 301 })), keys)).toBe("expired");
  expect(await verdict(aMessage(await signed({ alg: "EdDSA", iat: at + 301 })), keys)).toBe("expired");
});

it("keys that are weak, huge or malformed are not used", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey.export({ format: "jwk" }) as JWK;
  const huge = { kty: "RSA", n: `_${randomBytes(4_096).toString("base64url")}`, e: "AQAB" };
  const slow = { ...jwkOf("RS256"), e: "_____w8" };
  const message = aMessage(await signed({ alg: "RS256" }));
  for (const key of [weak, huge, slow, { kty: "RSA" }, { kty: "RSA", n: 1, e: "AQAB" } as unknown as JWK])
    expect(await verdict(message, [key])).toBe("invalid");
});
