import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { platform } from "./platform.js";
import { encoded, type RealKey, signed } from "./real-key.js";

type Attacks = Record<string, string>;

interface Material {
  readonly good: string;
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly real: RealKey;
  /** The public key as the platform publishes it. */
  readonly published: Record<string, unknown>;
  readonly own: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
}

/** Tokens that must be refused, by their fault. A token that is signed with the real key has only that one fault. */
export async function tokenAttacks(good: string, real: RealKey): Promise<Attacks> {
  const { keys } = (await (await fetch(`${platform().publicUrl}/.well-known/jwks`)).json()) as {
    keys: Record<string, unknown>[];
  };
  const material: Material = {
    good,
    real,
    header: { ...decodeProtectedHeader(good) },
    claims: { ...decodeJwt(good) },
    published: keys.find(({ kid }) => kid === real.keyId) ?? {},
    own: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  };
  const kinds = [unsigned, confusedKeys, headers, wrongClaims, spelling, signatures];
  return Object.fromEntries(kinds.flatMap((kind) => Object.entries(kind(material))));
}

/** An expired token. It is refused with a separate code. */
export function expiredToken(good: string, real: RealKey): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = decodeJwt(good);
  return real.token(decodeProtectedHeader(good), { ...claims, iat: now - 901, nbf: now - 901, exp: now - 1 });
}

function unsigned({ good, header, claims }: Material): Attacks {
  const [, , signature = ""] = good.split(".");
  const tokens = ["none", "None", "NONE", "nOnE", ""].flatMap((alg) => {
    const content = `${encoded({ ...header, alg })}.${encoded(claims)}`;
    return [
      [`alg ${alg}, no signature`, `${content}.`],
      [`alg ${alg}, another token's signature`, `${content}.${signature}`],
    ];
  });
  const { alg: _, ...withoutAlg } = header;
  return {
    ...Object.fromEntries(tokens),
    "no alg": `${encoded(withoutAlg)}.${encoded(claims)}.`,
    "no signature": `${good.split(".").slice(0, 2).join(".")}.`,
    "no third part": good.split(".").slice(0, 2).join("."),
  };
}

/** Tokens signed with the public key as a shared secret. A verifier that trusts the token's algorithm accepts them. */
function confusedKeys({ header, claims, published, own, real }: Material): Attacks {
  const { kty, crv, x, y } = published;
  const key = createPublicKey({
    key: { kty: String(kty), crv: String(crv), x: String(x), y: String(y) },
    format: "jwk",
  });
  const secrets: Record<string, string | Buffer> = {
    "the JWK": JSON.stringify(published),
    "the bare JWK": JSON.stringify({ kty, crv, x, y }),
    "the PEM": key.export({ type: "spki", format: "pem" }),
    "the PEM, trimmed": String(key.export({ type: "spki", format: "pem" })).trim(),
    "the DER": key.export({ type: "spki", format: "der" }),
    "the point": Buffer.concat([
      Buffer.of(4),
      Buffer.from(String(x), "base64url"),
      Buffer.from(String(y), "base64url"),
    ]),
    "the key id": real.keyId,
    nothing: "",
  };
  const byHmac = Object.entries(secrets).flatMap(([name, secret]) =>
    (["256", "384", "512"] as const).map((bits) => {
      const content = `${encoded({ ...header, alg: `HS${bits}` })}.${encoded(claims)}`;
      return [
        `HS${bits} with ${name}`,
        `${content}.${createHmac(`sha${bits}`, secret).update(content).digest("base64url")}`,
      ];
    }),
  );
  const forgedContent = `${encoded(header)}.${encoded(claims)}`;
  return {
    ...Object.fromEntries(byHmac),
    "another key under the real key's name": `${forgedContent}.${signed(forgedContent, own.privateKey)}`,
  };
}

function headers({ header, claims, real, own }: Material): Attacks {
  const jwk = own.publicKey.export({ format: "jwk" });
  const headerAdditions: Record<string, object> = {
    jku: { jku: "https://attacker.example/jwks.json" },
    "jku of the platform itself": { jku: `${platform().publicUrl}/.well-known/jwks` },
    x5u: { x5u: "https://attacker.example/chain.pem" },
    x5c: { x5c: ["MIIB"] },
    x5t: { x5t: "AAAA" },
    jwk: { jwk },
    "crit of exp": { crit: ["exp"], exp: 1 },
    "crit of nothing": { crit: [] },
    "crit of something unknown": { crit: ["urn:example"], "urn:example": true },
    "an unencoded payload": { crit: ["b64"], b64: false },
    zip: { zip: "DEF" },
    cty: { cty: "JWT" },
    "a nonce": { nonce: "1" },
  };
  const headerChanges: Record<string, object> = {
    ...Object.fromEntries(
      ["RS256", "PS256", "ES384", "ES512", "ES256K", "EdDSA", "es256", "ES256 ", "dir"].map((alg) => [
        `alg ${alg}`,
        { alg },
      ]),
    ),
    "alg as a list": { alg: ["ES256"] },
    "alg null": { alg: null },
    ...Object.fromEntries(
      ["JWT", "id_token", "id_token+jwt", "AT+JWT", "application/at+jwt", "at+jwt ", "logout+jwt", "dpop+jwt", ""].map(
        (typ) => [`typ ${typ}`, { typ }],
      ),
    ),
    "typ missing": { typ: undefined },
    "typ as a list": { typ: ["at+jwt"] },
    ...Object.fromEntries(
      [
        "unknown",
        "",
        "../../../../../../dev/null",
        "/dev/null",
        "' or '1'='1",
        "x'; select pg_sleep(5)--",
        "| true",
        "__proto__",
        "constructor",
        "toString",
        "x".repeat(201),
        `${real.keyId}\u0000`,
        ` ${real.keyId}`,
      ].map((kid) => [`kid ${kid.slice(0, 40)}`, { kid }]),
    ),
    "kid missing": { kid: undefined },
    "kid as a number": { kid: 0 },
    "kid as a list": { kid: [real.keyId] },
    "kid null": { kid: null },
  };
  const tokens = Object.entries({ ...headerAdditions, ...headerChanges }).map(([name, change]) => [
    name,
    real.token({ ...header, ...change }, claims),
  ]);
  const content = `${encoded({ ...header, jwk })}.${encoded(claims)}`;
  const namelessContent = `${encoded({ alg: "ES256", typ: "at+jwt", jwk })}.${encoded(claims)}`;
  return {
    ...Object.fromEntries(tokens),
    "a key that it brings along": `${content}.${signed(content, own.privateKey)}`,
    "a key that it brings along, without a name": `${namelessContent}.${signed(namelessContent, own.privateKey)}`,
  };
}

function wrongClaims({ header, claims, real }: Material): Attacks {
  const now = Math.floor(Date.now() / 1000);
  const { iss, aud } = claims as { iss: string; aud: string };
  const claimNames = ["iss", "aud", "exp", "iat", "sub", "client_id", "jti", "principalType"];
  const changes: Record<string, object> = {
    ...Object.fromEntries(claimNames.map((name) => [`${name} missing`, { [name]: undefined }])),
    ...Object.fromEntries(claimNames.map((name) => [`${name} null`, { [name]: null }])),
    ...Object.fromEntries(claimNames.map((name) => [`${name} as an object`, { [name]: {} }])),
    "iss of somebody else": { iss: "https://attacker.example" },
    "iss with a slash": { iss: `${iss}/` },
    "iss in capitals": { iss: iss.toUpperCase() },
    "iss as a list": { iss: [iss] },
    "aud of somebody else": { aud: "https://attacker.example" },
    "aud empty": { aud: "" },
    "aud as a list of ours": { aud: [aud] },
    "aud as a list with ours": { aud: ["https://attacker.example", aud] },
    "aud as an empty list": { aud: [] },
    "exp before iat": { exp: now + 2, iat: now + 4, nbf: now },
    "exp at iat": { iat: now + 3, nbf: now + 3, exp: now + 3 },
    "exp as text": { exp: String(now + 600) },
    "exp with a fraction": { exp: now + 600.5 },
    "exp beyond all time": { exp: 1e308 },
    "exp in milliseconds": { exp: (now + 600) * 1000 },
    "exp a day away": { exp: now + 86_400 },
    "exp as a list": { exp: [now + 600] },
    "exp true": { exp: true },
    "iat in a minute": { iat: now + 60, nbf: now + 60, exp: now + 660 },
    "iat as text": { iat: String(now) },
    "iat negative": { iat: -1, nbf: undefined },
    "iat long ago": { iat: now - 86_400 },
    "nbf in a minute": { nbf: now + 60 },
    "nbf as text": { nbf: String(now) },
    "nbf null": { nbf: null },
    "sub empty": { sub: "" },
    "sub a number": { sub: 7 },
    "jti empty": { jti: "" },
    "scope as a list": { scope: ["tenant.manage"] },
    "roles as text": { roles: "TenantOwner" },
    "tenantId of another prefix": { tenantId: "usr_01jz3b0q8xk0n8v3m1w6y5t2r7" },
    "tenantId in capitals": { tenantId: String(claims["tenantId"]).toUpperCase() },
    "tenantId as a list": { tenantId: [claims["tenantId"]] },
    "tenantId empty": { tenantId: "" },
    "principalType unknown": { principalType: "Root" },
    "platformAdmin as text": { platformAdmin: "true" },
  };
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [name, real.token(header, { ...claims, ...change })]),
  );
}

/** Tokens written in a second form, which two parsers could read differently. */
function spelling({ good, header, claims, real }: Material): Attacks {
  const [head = "", payload = "", signature = ""] = good.split(".");
  const twice = (of: object, more: string) => `${JSON.stringify(of).slice(0, -1)},${more}}`;
  const json = { payload, protected: head, signature };
  return {
    "alg twice": real.token(twice(header, '"alg":"none"'), claims),
    "kid twice": real.token(twice(header, `"kid":"${real.keyId}"`), claims),
    "typ twice, once escaped": real.token(twice(header, String.raw`"\u0074yp":"JWT"`), claims),
    "scope twice": real.token(header, twice(claims, '"scope":"tenant.manage"')),
    "scope twice, once escaped": real.token(header, twice(claims, String.raw`"s\u0063ope":"tenant.manage"`)),
    "tenantId twice": real.token(header, twice(claims, `"tenantId":"${String(claims["tenantId"])}"`)),
    "exp twice": real.token(header, twice(claims, '"exp":4102444800')),
    "a member inside a claim twice": real.token(header, twice(claims, '"act":{"sub":"a","sub":"b"}')),
    "claims that are a list": real.token(header, JSON.stringify([claims])),
    "claims that are null": real.token(header, "null"),
    "claims that are text": real.token(header, JSON.stringify(JSON.stringify(claims))),
    "claims that are no JSON": real.token(header, JSON.stringify(claims).slice(0, -1)),
    "claims with something behind": real.token(header, `${JSON.stringify(claims)}{}`),
    "claims behind a byte order mark": real.token(header, `\ufeff${JSON.stringify(claims)}`),
    "claims in Latin-1": real.token(header, Buffer.from(JSON.stringify({ ...claims, name: "\xe9" }), "latin1")),
    "claims in UTF-16": real.token(header, Buffer.from(JSON.stringify(claims), "utf16le")),
    "a header that is a list": real.token(JSON.stringify([header]), claims),
    "a header with something behind": real.token(`${JSON.stringify(header)} x`, claims),
    "padding behind the header": `${head}=.${payload}.${signature}`,
    "padding behind the payload": `${head}.${payload}=.${signature}`,
    "padding behind the signature": `${good}==`,
    "the signature's last bits changed": good.slice(0, -1) + otherLastLetter(good.slice(-1)),
    "the signature in standard base64": `${head}.${payload}.+${signature.slice(1)}`,
    "a line break": `${head}.${payload}\n.${signature}`,
    "a space": `${head} .${payload}.${signature}`,
    "a dot behind": `${good}.`,
    "a dot before": `.${good}`,
    "a fourth part": `${good}.${signature}`,
    "a letter behind": `${good}A`,
    "five parts, as if encrypted": `${encoded({ alg: "dir", enc: "A256GCM", typ: "at+jwt", kid: real.keyId })}..${signature.slice(0, 16)}.${payload}.${signature.slice(0, 22)}`,
    "the header of an encrypted token": real.token({ ...header, enc: "A256GCM" }, claims),
    "a token inside a token": real.token(header, good),
    "the JSON form, encoded": encoded(json),
    "no token": "garbage",
    "three parts of nothing": "a.b.c",
    "three empty parts": "..",
  };
}

/** 512 bits are 86 characters in base64url; the last character's four low bits are unused */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const otherLastLetter = (letter: string) => letters.charAt(letters.indexOf(letter) ^ 1);

function signatures({ good, header, claims }: Material): Attacks {
  const [head = "", payload = "", signature = ""] = good.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const flippedBytes = Buffer.from(bytes);
  flippedBytes.writeUInt8(flippedBytes.readUInt8(40) ^ 1, 40);
  const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
  const values: Record<string, Buffer> = {
    "one bit flipped": flippedBytes,
    "all zero": Buffer.alloc(64),
    "r zero": Buffer.concat([Buffer.alloc(32), bytes.subarray(32)]),
    "s zero": Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(32)]),
    "the order of the curve": Buffer.concat([order, order]),
    "halves swapped": Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
    "cut short": bytes.subarray(0, 63),
    "one byte more": Buffer.concat([bytes, Buffer.of(0)]),
    "in DER": Buffer.concat([Buffer.of(0x30, 68, 2, 32), bytes.subarray(0, 32), Buffer.of(2, 32), bytes.subarray(32)]),
  };
  const changedClaims = { ...claims, scope: `${String(claims["scope"])} tenant.manage` };
  return {
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`the signature ${name}`, `${head}.${payload}.${encoded(value)}`]),
    ),
    "other claims under a good signature": `${head}.${encoded(changedClaims)}.${signature}`,
    "another header under a good signature": `${encoded({ ...header, kid: header["kid"], more: 1 })}.${payload}.${signature}`,
  };
}
