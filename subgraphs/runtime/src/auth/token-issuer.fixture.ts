import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { newId } from "../identifiers/wire-id.js";
import type { Principal } from "./principal.js";
import { TokenVerifier } from "./token-verifier.js";

const issuer = "http://127.0.0.1:4000";

type Members = Record<string, unknown>;

interface TokenIssuer {
  readonly verifier: TokenVerifier;
  sign(principal: Principal, claims?: Members, header?: Members): Promise<string>;
  /** Tokens that look valid but are not: what is wrong, how the token is made, and the code that refuses it. */
  readonly attacks: readonly [string, (principal: Principal) => Promise<string>, string][];
}

const seconds = () => Math.floor(Date.now() / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Issues access tokens as the authorization server does, with a verifier that accepts them. */
export async function aTokenIssuer(): Promise<TokenIssuer> {
  const [ownKeys, foreign] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const keys = [{ ...(await exportJWK(ownKeys.publicKey)), kid: "key-1" }];
  const foreignJwk = await exportJWK(foreign.publicKey);
  const signWith =
    (key: typeof ownKeys.privateKey) =>
    (principal: Principal, claims: Members = {}, header: Members = {}) =>
      new SignJWT({ ...claimsOf(principal), ...claims })
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "key-1", ...header })
        .sign(key);
  const [sign, forge] = [signWith(ownKeys.privateKey), signWith(foreign.privateKey)];
  const unsignedHeader = encode({ alg: "none", typ: "at+jwt", kid: "key-1" });
  const parts = async (principal: Principal) => (await sign(principal)).split(".");
  return {
    verifier: new TokenVerifier({
      issuer,
      audience: issuer,
      keys: async () => ({ keys }),
      tenantExists: async () => true,
    }),
    sign,
    attacks: [
      ["no JWT", async () => "garbage", "TOKEN_INVALID"],
      ["algorithm none", async (who) => `${unsignedHeader}.${(await parts(who))[1]}.`, "TOKEN_INVALID"],
      [
        "algorithm none, signed all the same",
        async (who) => [unsignedHeader, ...(await parts(who)).slice(1)].join("."),
        "TOKEN_INVALID",
      ],
      ["another key under our name", (who) => forge(who), "TOKEN_INVALID"],
      ["an unknown key", (who) => forge(who, {}, { kid: "key-2" }), "TOKEN_INVALID"],
      ["a key that it brings along", (who) => forge(who, {}, { jwk: foreignJwk }), "TOKEN_INVALID"],
      ["another type", (who) => sign(who, {}, { typ: "JWT" }), "TOKEN_INVALID"],
      ["another audience", (who) => sign(who, { aud: "https://elsewhere.example" }), "TOKEN_INVALID"],
      ["another issuer", (who) => sign(who, { iss: "https://elsewhere.example" }), "TOKEN_INVALID"],
      ["expired", (who) => sign(who, { iat: seconds() - 1000, exp: seconds() - 100 }), "TOKEN_EXPIRED"],
      ["from the future", (who) => sign(who, { nbf: seconds() + 300 }), "TOKEN_INVALID"],
      ["a life of a year", (who) => sign(who, { exp: seconds() + 31_536_000 }), "TOKEN_INVALID"],
      [
        "other claims under a good signature",
        async (who) => {
          const [header, , signature] = await parts(who);
          return [header, encode({ ...claimsOf(who), sub: "cli_root" }), signature].join(".");
        },
        "TOKEN_INVALID",
      ],
      ["a cut signature", async (who) => (await sign(who)).slice(0, -8), "TOKEN_INVALID"],
    ],
  };
}

function claimsOf({ subject, clientId, scopes, tenantId, tenantSlug, principalType }: Principal): Members {
  return {
    iss: issuer,
    aud: issuer,
    sub: subject,
    client_id: clientId,
    jti: newId("evt"),
    scope: [...scopes].join(" "),
    iat: seconds(),
    exp: seconds() + 900,
    tenantId,
    tenantSlug,
    principalType,
  };
}
