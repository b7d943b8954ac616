import { createHmac, KeyObject, sign as signBytes } from "node:crypto";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JSONWebKeySet, type JWK } from "jose";
import { DomainError } from "../errors/domain-error.js";
import { newId } from "../identifiers/wire-id.js";
import { TokenVerifier } from "./token-verifier.js";

const issuer = "https://factory.example";
const audience = issuer;
const nowMs = 1_800_000_000_000;
const now = nowMs / 1_000;
const tenantId = newId("ten");

interface SigningPair {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

async function aPair(kid: string): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, use: "sig", alg: "ES256" } };
}

let pair: SigningPair;
let other: SigningPair;
let publishedKeys: JSONWebKeySet;
let loads: number;
let clockMs: number;
let verifier: TokenVerifier;
let exists: (tenantId: string) => boolean | Promise<boolean>;

beforeAll(async () => {
  pair = await aPair("key-1");
  other = await aPair("key-2");
});

beforeEach(() => {
  publishedKeys = { keys: [pair.jwk] };
  loads = 0;
  exists = () => true;
  clockMs = nowMs;
  const keys = async () => {
    loads += 1;
    return publishedKeys;
  };
  verifier = new TokenVerifier({
    issuer,
    audience,
    keys,
    tenantExists: async (tenant) => exists(tenant),
    clock: () => clockMs,
  });
});

const goodHeader = { alg: "ES256", typ: "at+jwt", kid: "key-1" };

function claims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: issuer,
    aud: audience,
    sub: "usr_1",
    client_id: "cli_1",
    jti: "token-1",
    iat: now,
    nbf: now,
    exp: now + 900,
    scope: "templates.read templates.write",
    tenantId,
    tenantSlug: "acme",
    principalType: "User",
    roles: ["owner"],
    ...changes,
  };
}

const chainOf = (length: number): unknown => (length === 0 ? undefined : { sub: "cli_2", act: chainOf(length - 1) });

const encode = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

async function sign(header: unknown, payload: unknown, key = pair.privateKey): Promise<string> {
  const input = `${encode(header)}.${encode(payload)}`;
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString("base64url")}`;
}

async function outcome(token: string): Promise<string> {
  try {
    await verifier.verify(token);
    return "accepted";
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

test("returns the principal of a token", async () => {
  expect(await verifier.verify(await sign(goodHeader, claims()))).toEqual({
    subject: "usr_1",
    clientId: "cli_1",
    tenantId,
    tenantSlug: "acme",
    scopes: new Set(["templates.read", "templates.write"]),
    principalType: "User",
    platformAdmin: false,
    agentTaskId: undefined,
    actors: [],
    clients: [],
    approvalId: undefined,
    roles: ["owner"],
    tokenId: "token-1",
    expiresAt: now + 900,
  });
});

test("reads the sign-in only from the token of a person, not from the token of an agent or a service", async () => {
  const signedIn = { auth_time: now - 60, firstParty: true };
  const person = await verifier.verify(await sign(goodHeader, claims(signedIn)));
  expect(person).toMatchObject({ authTime: now - 60, firstParty: true });
  for (const changes of [{ act: { sub: "cli_2" } }, { principalType: "Agent" }, { principalType: "Service" }]) {
    const { authTime, firstParty } = await verifier.verify(await sign(goodHeader, claims({ ...signedIn, ...changes })));
    expect([authTime, firstParty]).toEqual([undefined, undefined]);
  }
});

test("reads a token without a tenant and the token of an agent", async () => {
  const admin = claims({
    tenantId: undefined,
    tenantSlug: undefined,
    roles: undefined,
    platformAdmin: true,
    scope: undefined,
  });
  expect(await verifier.verify(await sign(goodHeader, admin))).toMatchObject({
    tenantId: undefined,
    platformAdmin: true,
    roles: [],
    scopes: new Set(),
  });
  const act = { sub: "cli_2", act: { sub: "cli_3" } };
  const agent = claims({ principalType: "Agent", agentTaskId: "task-7", approvalId: "apr_1", act });
  expect(await verifier.verify(await sign(goodHeader, agent))).toMatchObject({
    principalType: "Agent",
    agentTaskId: "task-7",
    approvalId: "apr_1",
    actors: ["cli_2", "cli_3"],
  });
});

describe("claims", () => {
  const refusedClaims: [string, Record<string, unknown>][] = [
    ["another issuer", { iss: "https://evil.example" }],
    ["an issuer with an additional slash", { iss: `${issuer}/` }],
    ["no issuer", { iss: undefined }],
    ["another audience", { aud: "https://evil.example" }],
    ["an audience list that contains this platform", { aud: [audience, "https://evil.example"] }],
    ["an audience list with only this platform", { aud: [audience] }],
    ["no audience", { aud: undefined }],
    ["no expiry", { exp: undefined }],
    ["expiry as text", { exp: String(now + 900) }],
    ["expiry null", { exp: null }],
    ["expiry with a fraction", { exp: now + 900.5 }],
    ["expiry before issue", { iat: now + 4, exp: now + 3 }],
    ["a lifetime over an hour", { exp: now + 3_601 }],
    ["issued in the future", { iat: now + 60 }],
    ["no time of issue", { iat: undefined }],
    ["time of issue as text", { iat: String(now) }],
    ["negative time of issue", { iat: -1 }],
    ["not valid yet", { nbf: now + 60 }],
    ["nbf as text", { nbf: "0" }],
    ["no subject", { sub: undefined }],
    ["empty subject", { sub: "" }],
    ["subject as a number", { sub: 7 }],
    ["no client", { client_id: undefined }],
    ["no token id", { jti: undefined }],
    ["token id as a list", { jti: ["a"] }],
    ["scope as a list", { scope: ["templates.read"] }],
    ["tenant of another form", { tenantId: "acme" }],
    ["tenant with the prefix of a user", { tenantId: newId("usr") }],
    ["tenant null", { tenantId: null }],
    ["tenant as a list", { tenantId: [tenantId] }],
    ["unknown kind of principal", { principalType: "Root" }],
    ["no kind of principal", { principalType: undefined }],
    ["platformAdmin as text", { platformAdmin: "true" }],
    ["platformAdmin as a number", { platformAdmin: 1 }],
    ["roles as text", { roles: "owner" }],
    ["roles with a number", { roles: [1] }],
    ["agent task as a number", { agentTaskId: 7 }],
    ["empty approval", { approvalId: "" }],
    ["actor as text", { act: "cli_2" }],
    ["actor without a subject", { act: {} }],
    ["a chain of six actors", { act: chainOf(6) }],
  ];

  test.each(refusedClaims)("%s is refused", async (_, changes) => {
    expect(await outcome(await sign(goodHeader, claims(changes)))).toBe("TOKEN_INVALID");
  });

  test.each(["1e308", "9007199254740993", "-1", "1e400"])("expiry %s is refused", async (exp) => {
    const text = JSON.stringify(claims({ exp: "EXP" })).replace('"EXP"', exp);
    expect(await outcome(await sign(goodHeader, text))).toMatch(/TOKEN_(INVALID|EXPIRED)/);
  });

  test.each(["null", "[]", '"text"', "7", "{", ""])("a payload that is %p is refused", async (text) => {
    expect(await outcome(await sign(goodHeader, text))).toBe("TOKEN_INVALID");
  });

  test("a repeated member is refused", async () => {
    const text = JSON.stringify(claims()).replace("{", `{"tenantId":"${newId("ten")}",`);
    expect(await outcome(await sign(goodHeader, text))).toBe("TOKEN_INVALID");
  });

  test("text that is not UTF-8 is refused", async () => {
    const [header = ""] = (await sign(goodHeader, claims())).split(".");
    const payload = Buffer.from(JSON.stringify(claims({ sub: "ü" })), "latin1").toString("base64url");
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      pair.privateKey,
      Buffer.from(`${header}.${payload}`),
    );
    expect(await outcome(`${header}.${payload}.${Buffer.from(signature).toString("base64url")}`)).toBe("TOKEN_INVALID");
  });

  test("a byte order mark is refused", async () => {
    expect(await outcome(await sign(goodHeader, `\ufeff${JSON.stringify(claims())}`))).toBe("TOKEN_INVALID");
  });

  test("a __proto__ claim changes nothing", async () => {
    const text = JSON.stringify(claims()).replace("{", '{"__proto__":{"platformAdmin":true},');
    expect(await verifier.verify(await sign(goodHeader, text))).toMatchObject({ platformAdmin: false });
  });
});

describe("header and signature", () => {
  const refusedHeaders: [string, Record<string, unknown>][] = [
    ["alg none", { ...goodHeader, alg: "none" }],
    ["alg None", { ...goodHeader, alg: "None" }],
    ["alg ES384", { ...goodHeader, alg: "ES384" }],
    ["alg as a list", { ...goodHeader, alg: ["ES256"] }],
    ["no alg", { typ: "at+jwt", kid: "key-1" }],
    ["typ JWT", { ...goodHeader, typ: "JWT" }],
    ["no typ", { alg: "ES256", kid: "key-1" }],
    ["typ of an id token", { ...goodHeader, typ: "id+jwt" }],
    ["no kid", { alg: "ES256", typ: "at+jwt" }],
    ["empty kid", { ...goodHeader, kid: "" }],
    ["kid as a path", { ...goodHeader, kid: "../../dev/null" }],
    ["kid of a prototype member", { ...goodHeader, kid: "constructor" }],
    ["kid as an object", { ...goodHeader, kid: { id: "key-1" } }],
    ["jku", { ...goodHeader, jku: "https://evil.example/jwks" }],
    ["x5u", { ...goodHeader, x5u: "https://evil.example/cert" }],
    ["crit", { ...goodHeader, crit: ["exp"] }],
    ["b64", { ...goodHeader, b64: false, crit: ["b64"] }],
    ["zip", { ...goodHeader, zip: "DEF" }],
  ];

  test.each(refusedHeaders)("%s is refused", async (_, header) => {
    expect(await outcome(await sign(header, claims()))).toBe("TOKEN_INVALID");
  });

  test("an embedded key is refused", async () => {
    expect(await outcome(await sign({ ...goodHeader, jwk: other.jwk }, claims(), other.privateKey))).toBe(
      "TOKEN_INVALID",
    );
  });

  test("a repeated header member is refused", async () => {
    const header = '{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"key-1"}';
    expect(await outcome(await sign(header, claims()))).toBe("TOKEN_INVALID");
  });

  test("HS256 keyed with the public key is refused", async () => {
    const publicKeys = [await exportSPKI(pair.publicKey), JSON.stringify(pair.jwk)];
    for (const publicKey of publicKeys) {
      for (const alg of ["HS256", "ES256"]) {
        const input = `${encode({ ...goodHeader, alg })}.${encode(claims())}`;
        const signature = createHmac("sha256", publicKey).update(input).digest("base64url");
        expect(await outcome(`${input}.${signature}`)).toBe("TOKEN_INVALID");
      }
    }
  });

  test("a signature of another key is refused", async () => {
    expect(await outcome(await sign(goodHeader, claims(), other.privateKey))).toBe("TOKEN_INVALID");
  });

  test("an all-zero signature is refused", async () => {
    const input = `${encode(goodHeader)}.${encode(claims())}`;
    expect(await outcome(`${input}.${Buffer.alloc(64).toString("base64url")}`)).toBe("TOKEN_INVALID");
  });

  test("a DER signature is refused", async () => {
    const key = KeyObject.from(pair.privateKey);
    const input = `${encode(goodHeader)}.${encode(claims())}`;
    const signature = signBytes("sha256", Buffer.from(input), { key, dsaEncoding: "der" });
    expect(await outcome(`${input}.${signature.toString("base64url")}`)).toBe("TOKEN_INVALID");
  });

  test("a changed payload is refused", async () => {
    const [header, , signature] = (await sign(goodHeader, claims())).split(".");
    expect(await outcome(`${header}.${encode(claims({ platformAdmin: true }))}.${signature}`)).toBe("TOKEN_INVALID");
  });

  test("another encoding of the same signature is refused", async () => {
    const token = await sign(goodHeader, claims());
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // 64 bytes leave four unused bits in the last letter
    const respelt = token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1];
    const spellings = [
      respelt,
      `${token}=`,
      `${token}==`,
      `${token} `,
      `${token}\n`,
      token.replaceAll("-", "+").replaceAll("_", "/"),
    ];
    for (const spelling of spellings) {
      if (spelling !== token) expect(await outcome(spelling)).toBe("TOKEN_INVALID");
    }
  });

  test("a token must have three parts", async () => {
    const token = await sign(goodHeader, claims());
    const signingInput = token.slice(0, token.lastIndexOf(".") + 1);
    const wrong = [
      "",
      ".",
      "..",
      "a.b.c",
      signingInput,
      signingInput.slice(0, -1),
      `${token}.`,
      `${token}.x.y`,
      `.${token}`,
      `Bearer ${token}`,
    ];
    for (const text of wrong) expect(await outcome(text)).toBe("TOKEN_INVALID");
  });

  test("a token over 16 KiB is refused before it is read", async () => {
    expect(await outcome(await sign(goodHeader, claims({ filler: "x".repeat(13_000) })))).toBe("TOKEN_INVALID");
    expect(loads).toBe(0);
  });
});

describe("time", () => {
  test("a token ends at its expiry, cached or not", async () => {
    const token = await sign(goodHeader, claims());
    expect(await outcome(token)).toBe("accepted");
    clockMs = (now + 899) * 1_000;
    expect(await outcome(token)).toBe("accepted");
    clockMs = (now + 900) * 1_000;
    expect(await outcome(token)).toBe("TOKEN_EXPIRED");
    expect(await outcome(token)).toBe("TOKEN_EXPIRED");
  });

  test("a token of an issuer whose clock is 5 s ahead is accepted", async () => {
    expect(await outcome(await sign(goodHeader, claims({ iat: now + 5, nbf: now + 5 })))).toBe("accepted");
    expect(await outcome(await sign(goodHeader, claims({ iat: now + 6, nbf: now + 6 })))).toBe("TOKEN_INVALID");
  });
});

describe("keys", () => {
  test("are read once for many tokens", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect(await outcome(await sign(goodHeader, claims({ jti: `token-${count}` })))).toBe("accepted");
    }
    expect(loads).toBe(1);
  });

  test("a new one is found without a restart", async () => {
    const token = await sign({ ...goodHeader, kid: "key-2" }, claims(), other.privateKey);
    expect(await outcome(await sign(goodHeader, claims()))).toBe("accepted");
    publishedKeys = { keys: [pair.jwk, other.jwk] };
    clockMs += 30_000;
    expect(await outcome(token)).toBe("accepted");
    expect(loads).toBe(2);
  });

  test("unknown ones cause at most one reload in 30 s", async () => {
    await outcome(await sign(goodHeader, claims()));
    for (let second = 0; second < 60; second += 1) {
      expect(await outcome(await sign({ ...goodHeader, kid: `unknown-${second}` }, claims()))).toBe("TOKEN_INVALID");
      clockMs += 1_000;
    }
    expect(loads).toBeLessThanOrEqual(3);
  });

  test("many callers share one reload", async () => {
    const tokens = await Promise.all([1, 2, 3].map((count) => sign(goodHeader, claims({ jti: `token-${count}` }))));
    expect(await Promise.all(tokens.map(outcome))).toEqual(["accepted", "accepted", "accepted"]);
    expect(loads).toBe(1);
  });

  test("stay in use while the issuer does not answer, for a day", async () => {
    let down = false;
    const keys = async () => {
      if (down) throw new Error("no answer");
      return publishedKeys;
    };
    verifier = new TokenVerifier({
      issuer,
      audience,
      keys,
      tenantExists: async (tenant) => exists(tenant),
      clock: () => clockMs,
    });
    expect(await outcome(await sign(goodHeader, claims()))).toBe("accepted");
    down = true;
    clockMs += 23 * 3_600_000;
    const later = clockMs / 1_000;
    const times = { iat: later, nbf: later, exp: later + 900 };
    expect(await outcome(await sign(goodHeader, claims({ ...times, jti: "a" })))).toBe("accepted");
    clockMs += 3_600_000;
    expect(await outcome(await sign(goodHeader, claims({ ...times, jti: "b" })))).toBe("UNAVAILABLE");
    down = false;
    clockMs += 30_000;
    const last = clockMs / 1_000;
    expect(await outcome(await sign(goodHeader, claims({ jti: "c", iat: last, nbf: last, exp: last + 900 })))).toBe(
      "accepted",
    );
  });

  test("a withdrawn one is dropped at the next refresh", async () => {
    await outcome(await sign(goodHeader, claims()));
    publishedKeys = { keys: [other.jwk] };
    clockMs += 301_000;
    await outcome(await sign(goodHeader, claims({ jti: "a" })));
    expect(await outcome(await sign(goodHeader, claims({ jti: "b" })))).toBe("TOKEN_INVALID");
  });

  test("only P-256 signing keys count", async () => {
    const { publicKey } = await generateKeyPair("ES384");
    const foreign = [
      { ...(await exportJWK(publicKey)), kid: "key-1" },
      { kty: "oct", k: "c2VjcmV0", kid: "key-1", alg: "ES256" },
      { ...pair.jwk, use: "enc" },
      { ...pair.jwk, alg: "ES384" },
    ];
    for (const key of foreign) {
      publishedKeys = { keys: [key] };
      verifier = new TokenVerifier({
        issuer,
        audience,
        keys: async () => publishedKeys,
        tenantExists: async (tenant) => exists(tenant),
        clock: () => clockMs,
      });
      expect(await outcome(await sign(goodHeader, claims()))).toBe("TOKEN_INVALID");
    }
  });
});

describe("revocation", () => {
  test("of one token applies only to this token", async () => {
    const first = await sign(goodHeader, claims());
    const second = await sign(goodHeader, claims({ jti: "token-2" }));
    expect(await Promise.all([first, second].map(outcome))).toEqual(["accepted", "accepted"]);
    verifier.apply({ kind: "Token", subject: "token-1", version: 1 });
    expect(await Promise.all([first, second].map(outcome))).toEqual(["TOKEN_INVALID", "accepted"]);
  });

  const kinds = [
    ["Principal", "usr_1", { sub: "usr_2" }],
    ["Client", "cli_1", { client_id: "cli_2", versions: { subject: 2, clients: { cli_2: 2 } } }],
    ["Grant", "grant-1", { grantId: "grant-2" }],
  ] as const;

  test.each(kinds)(
    "of a %s applies to tokens whose facts were read before it, cached or not",
    async (kind, subject, other) => {
      const versions = { subject: 2, clients: { cli_1: 2 } };
      const mine = { grantId: "grant-1", versions };
      const seenToken = await sign(goodHeader, claims(mine));
      const unseen = await sign(goodHeader, claims({ ...mine, jti: "token-2" }));
      const stranger = await sign(goodHeader, claims({ ...mine, jti: "token-3", ...other }));
      expect(await outcome(seenToken)).toBe("accepted");
      verifier.apply({ kind, subject, version: 3 });
      expect(await Promise.all([seenToken, unseen, stranger].map(outcome))).toEqual([
        "TOKEN_INVALID",
        "TOKEN_INVALID",
        "accepted",
      ]);
      const raisedVersions = { ...versions, ...(kind === "Client" ? { clients: { cli_1: 3 } } : { subject: 3 }) };
      const again = await sign(goodHeader, claims({ ...mine, jti: "token-4", versions: raisedVersions }));
      // a sign-in never comes back
      expect(await outcome(again)).toBe(kind === "Grant" ? "TOKEN_INVALID" : "accepted");
    },
  );

  test("of a client applies to the token that an agent got for a person who signed in there", async () => {
    const exchangedClaims = { client_id: "cli_2", principalType: "Agent", act: { sub: "cli_2" } };
    const versions = { clients: { cli_1: 1, cli_2: 4 } };
    const token = await sign(goodHeader, claims({ ...exchangedClaims, versions }));
    verifier.apply({ kind: "Client", subject: "cli_1", version: 1 });
    expect(await outcome(token)).toBe("accepted");
    verifier.apply({ kind: "Client", subject: "cli_1", version: 2 });
    expect(await outcome(token)).toBe("TOKEN_INVALID");
  });

  test("of a client applies to tokens that agents got for it or through it", async () => {
    const delegatedClaims = {
      sub: "cli_1",
      client_id: "cli_3",
      principalType: "Agent",
      act: { sub: "cli_3", act: { sub: "cli_2" } },
    };
    const seenToken = await sign(goodHeader, claims(delegatedClaims));
    expect(await outcome(seenToken)).toBe("accepted");
    for (const [at, subject] of ["cli_1", "cli_2"].entries()) {
      const fresh = await sign(goodHeader, claims({ ...delegatedClaims, jti: `fresh-${at}` }));
      verifier = new TokenVerifier({
        issuer,
        audience,
        keys: async () => publishedKeys,
        tenantExists: async (tenant) => exists(tenant),
        clock: () => clockMs,
      });
      expect(await Promise.all([seenToken, fresh].map(outcome))).toEqual(["accepted", "accepted"]);
      verifier.apply({ kind: "Client", subject, version: 1 });
      expect(await Promise.all([seenToken, fresh].map(outcome))).toEqual(["TOKEN_INVALID", "TOKEN_INVALID"]);
    }
  });

  test("compares versions, whatever the clocks of issuer and verifier say", async () => {
    const at = (seconds: number, versions: unknown) =>
      sign(goodHeader, claims({ jti: `${seconds}`, iat: now + seconds, nbf: now + seconds, exp: now + 900, versions }));
    const [early, late] = [await at(-600, { subject: 5 }), await at(4, { subject: 4 })];
    const [former, foreign] = [await at(3, undefined), await at(2, { subject: 4, clients: { usr_1: 9 } })];
    verifier.apply({ kind: "Principal", subject: "usr_1", version: 5 });
    clockMs += 120_000;
    expect(await Promise.all([early, late, former, foreign].map(outcome))).toEqual([
      "accepted",
      "TOKEN_INVALID",
      "TOKEN_INVALID",
      "TOKEN_INVALID",
    ]);
  });

  test("leaves tokens of an earlier release alone, unless it names their subject", async () => {
    const token = await sign(goodHeader, claims());
    verifier.apply({ kind: "Principal", subject: "usr_2", version: 1 });
    expect(await outcome(token)).toBe("accepted");
  });

  test.each([
    ["a fraction", { subject: 1.5 }],
    ["a text", { clients: { cli_1: "9" } }],
    ["below zero", { tenant: -1 }],
    ["a list", []],
  ])("is not avoided by a version that is %s", async (_, versions) => {
    expect(await outcome(await sign(goodHeader, claims({ versions })))).toBe("TOKEN_INVALID");
  });

  test("that arrives late does not undo a newer one", async () => {
    const token = await sign(goodHeader, claims({ versions: { subject: 1 } }));
    verifier.apply({ kind: "Principal", subject: "usr_1", version: 2 });
    verifier.apply({ kind: "Principal", subject: "usr_1", version: 1 });
    expect(await outcome(token)).toBe("TOKEN_INVALID");
  });

  test("is deleted when all its tokens have expired", async () => {
    verifier.apply({ kind: "Principal", subject: "usr_1", version: 1 });
    const old = await sign(goodHeader, claims());
    const laterBy = (seconds: number) => ({ iat: now + seconds, nbf: now + seconds, exp: now + seconds + 900 });
    const otherToken = await sign(goodHeader, claims({ jti: "token-2", ...laterBy(3_600) }));
    clockMs += 3_600_000;
    verifier.apply({ kind: "Token", subject: "other", version: 1 });
    expect(await Promise.all([old, otherToken].map(outcome))).toEqual(["TOKEN_EXPIRED", "TOKEN_INVALID"]);
    const forgotten = await sign(goodHeader, claims({ jti: "token-3", ...laterBy(7_200) }));
    clockMs += 3_600_000;
    verifier.apply({ kind: "Token", subject: "another", version: 1 });
    expect(await outcome(forgotten)).toBe("accepted");
  });
});

describe("a tenant", () => {
  test("that is closed has its tokens refused until it is open again, also if an older message arrives late", async () => {
    const [seenToken, unseen] = [await sign(goodHeader, claims()), await sign(goodHeader, claims({ jti: "token-2" }))];
    const stranger = await sign(goodHeader, claims({ jti: "token-3", tenantId: newId("ten") }));
    expect(await outcome(seenToken)).toBe("accepted");
    verifier.apply({ kind: "TenantClosed", subject: tenantId, version: 1 });
    expect(await Promise.all([seenToken, unseen, stranger].map(outcome))).toEqual([
      "TENANT_SUSPENDED",
      "TENANT_SUSPENDED",
      "accepted",
    ]);
    verifier.apply({ kind: "TenantOpened", subject: tenantId, version: 4 });
    verifier.apply({ kind: "TenantClosed", subject: tenantId, version: 3 });
    expect(await Promise.all([seenToken, unseen].map(outcome))).toEqual(["accepted", "accepted"]);
  });

  test("that was opened again has its new tokens accepted before the message of the opening arrives", async () => {
    verifier.apply({ kind: "TenantClosed", subject: tenantId, version: 3 });
    const tokenReadAt = (tenant: number) => sign(goodHeader, claims({ jti: `read-${tenant}`, versions: { tenant } }));
    const tokens = [await tokenReadAt(3), await tokenReadAt(4)];
    expect(await Promise.all(tokens.map(outcome))).toEqual(["TENANT_SUSPENDED", "accepted"]);
    verifier.apply({ kind: "TenantClosed", subject: tenantId, version: 5 });
    expect(await Promise.all(tokens.map(outcome))).toEqual(["TENANT_SUSPENDED", "TENANT_SUSPENDED"]);
  });
});

describe("a tenant that the spine does not know", () => {
  test("has its signed tokens refused, and is known as soon as it exists", async () => {
    const token = await sign(goodHeader, claims());
    exists = () => false;
    expect(await outcome(token)).toBe("TENANT_UNKNOWN");
    exists = () => true;
    expect(await outcome(token)).toBe("accepted");
  });

  test("is not looked up again once it was found", async () => {
    const askedTenants: string[] = [];
    exists = (tenant) => askedTenants.push(tenant) > 0;
    for (const jti of ["token-1", "token-1", "token-2"]) await outcome(await sign(goodHeader, claims({ jti })));
    await outcome(await sign(goodHeader, claims({ jti: "token-3", tenantId: undefined })));
    expect(askedTenants).toEqual([tenantId]);
  });

  test("is not reported when the database does not answer", async () => {
    exists = () => Promise.reject(Object.assign(new Error("gone"), { code: "57P01" }));
    expect(await outcome(await sign(goodHeader, claims()))).toBe("UNAVAILABLE");
  });

  test("is looked up before the revocations are checked, so that no revocation is missed in between", async () => {
    const token = await sign(goodHeader, claims());
    exists = () => {
      verifier.apply({ kind: "Token", subject: "token-1", version: 1 });
      return true;
    };
    expect([await outcome(token), await outcome(token)]).toEqual(["TOKEN_INVALID", "TOKEN_INVALID"]);
  });
});

test("a cached token needs no signature check", async () => {
  const token = await sign(goodHeader, claims());
  const principal = await verifier.verify(token);
  publishedKeys = { keys: [] };
  clockMs += 600_000;
  expect(await verifier.verify(token)).toBe(principal);
  expect(loads).toBe(1);
});
