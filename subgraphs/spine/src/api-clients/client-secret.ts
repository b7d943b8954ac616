import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { derivedKey } from "../derived-key.js";

/**
 * A client secret is HMAC-SHA-256(derived key, client id and a random nonce). The row keeps the nonce and the digest of
 * the secret, so neither the database nor SECRETS_KEY alone reveals it, and a repeated request gets it again.
 */
export class ClientSecrets {
  readonly #key: Buffer;

  constructor(secretsKey: Buffer) {
    this.#key = derivedKey(secretsKey, "client secrets");
  }

  newNonce(): string {
    return randomBytes(32).toString("base64url");
  }

  /** 43 characters that need no escaping in a form or a header. */
  derive(clientId: string, nonce: string): string {
    return createHmac("sha256", this.#key).update(`${nonce}\0${clientId}`).digest("base64url");
  }
}

/** Plain SHA-256 is enough for 256 random bits; a slow hash protects guessable secrets only. */
export function secretDigest(secret: string): string {
  return hash("sha256", secret, "hex");
}

export function secretMatches(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(secretDigest(secret), "hex"), Buffer.from(digest, "hex"));
}
