import { hash } from "node:crypto";
import { type JSONWebKeySet, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { atMost } from "../caches/entry-limit.js";
import { DomainError } from "../errors/domain-error.js";
import { ConfirmedTenants, type TenantLookup } from "./confirmed-tenants.js";
import type { Principal } from "./principal.js";
import { concerns, type Revocation, Revocations } from "./revocations.js";
import { expiredToken, invalidToken, type ReadClaims, readClaims } from "./token-claims.js";
import { parseUniqueJson } from "./unique-json.js";
import { VerificationKeys } from "./verification-keys.js";

interface TokenVerifierOptions {
  issuer: string;
  audience: string;
  /** Reads the issuer's current key set. */
  keys: () => Promise<JSONWebKeySet>;
  tenantExists: TenantLookup;
  /** Epoch milliseconds. */
  clock?: () => number;
}

const maxTokenLength = 16 * 1_024;
const maxCachedTokens = 10_000;

// Strict: the platform's tokens have no jku, x5u, jwk, crit or other header parameters.
const headerShape = z.strictObject({
  alg: z.literal("ES256"),
  typ: z.literal("at+jwt"),
  kid: z.string().min(1).max(200),
});

/** Verifies access tokens (RFC 9068). Throws TOKEN_EXPIRED, TOKEN_INVALID, TENANT_SUSPENDED or TENANT_UNKNOWN. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #keys: VerificationKeys;
  readonly #clock: () => number;
  readonly #known = new LRUCache<string, ReadClaims>(atMost(maxCachedTokens));
  readonly #revocations = new Revocations();
  readonly #tenants: ConfirmedTenants;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#tenants = new ConfirmedTenants(options.tenantExists);
    this.#keys = new VerificationKeys(options.keys, this.#clock, () => this.#known.clear());
  }

  async verify(token: string): Promise<Principal> {
    if (token.length > maxTokenLength) throw invalidToken("it is too long");
    const digest = hash("sha256", token, "base64");
    const knownClaims = this.#known.get(digest);
    if (knownClaims !== undefined) {
      if (knownClaims.principal.expiresAt > this.#nowSeconds()) return knownClaims.principal;
      this.#known.delete(digest);
      throw expiredToken();
    }
    const claims = await this.#verifyUnknown(token);
    await this.#tenants.require(claims.principal.tenantId);
    // No await from here on: a revocation that arrives in between would be missed.
    if (this.#revocations.covers(claims)) throw invalidToken("it was revoked");
    if (this.#revocations.isClosed(claims))
      throw new DomainError("TENANT_SUSPENDED", {
        detail: "The tenant is not active. Ask an administrator of the platform to resume it.",
      });
    this.#known.set(digest, claims);
    return claims.principal;
  }

  /** Takes effect at once, also for tokens in the cache. */
  apply(revocation: Revocation): void {
    this.#revocations.add(revocation, this.#clock());
    for (const [digest, { principal }] of [...this.#known.entries()])
      if (concerns(revocation, principal)) this.#known.delete(digest);
  }

  /** Reloads the key set after the issuer has announced a change. */
  keysChanged(): Promise<void> {
    return this.#keys.reload();
  }

  async #verifyUnknown(token: string): Promise<ReadClaims> {
    const [header = "", payload = "", signature = "", ...more] = token.split(".");
    if (more.length > 0) throw invalidToken("it is not a signed token");
    // jose accepts several spellings for the same signature bytes.
    if (![header, payload, signature].every(isCanonicalBase64Url)) throw invalidToken("it is not a signed token");
    const { success, data } = headerShape.safeParse(readPart(header));
    if (!success) throw invalidToken("algorithm, type or key id is not accepted");
    const claims = readPart(payload);

    const key = await this.#keys.find(data.kid);
    if (key === undefined) throw invalidToken("its key is unknown");
    const { issuer, audience } = this.#options;
    const currentDate = new Date(this.#clock());
    try {
      // readClaims checks nbf with the same tolerance, and exp without a tolerance.
      await jwtVerify(token, key, {
        algorithms: ["ES256"],
        typ: "at+jwt",
        issuer,
        audience,
        currentDate,
        clockTolerance: 5,
      });
    } catch (error) {
      throw refusalOf(error);
    }
    return readClaims(claims, this.#nowSeconds());
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}

function isCanonicalBase64Url(part: string): boolean {
  return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}

/** With `ignoreBOM` a byte order mark stays in the text, and JSON.parse then refuses it. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readPart(part: string): unknown {
  try {
    return parseUniqueJson(utf8.decode(Buffer.from(part, "base64url")));
  } catch {
    throw invalidToken("it is not readable JSON");
  }
}

function refusalOf(error: unknown): Error {
  const { code, claim } = error as { code?: unknown; claim?: unknown };
  if (code === "ERR_JWT_EXPIRED") return expiredToken();
  if (code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED") return invalidToken("its signature does not verify");
  return invalidToken(typeof claim === "string" ? `claim ${claim} is not accepted` : "it is malformed");
}
