import { createHmac, hash, randomBytes } from "node:crypto";
import { derivedKey } from "../derived-key.js";

/**
 * The token of an invitation's link is HMAC-SHA-256(derived key, invitation id and a random nonce). The row keeps nonce
 * and digest, so neither the database nor SECRETS_KEY alone opens an account, and the job that sends it holds no token.
 */
export class InvitationTokens {
  readonly #key: Buffer;

  constructor(secretsKey: Buffer) {
    this.#key = derivedKey(secretsKey, "invitation tokens");
  }

  newNonce(): string {
    return randomBytes(32).toString("base64url");
  }

  /** 43 characters that need no escaping in a link. */
  derive(invitationId: string, nonce: string): string {
    return createHmac("sha256", this.#key).update(`${nonce}\0${invitationId}`).digest("base64url");
  }
}

/** Plain SHA-256 is enough for 256 random bits. */
export const tokenDigest = (token: string): string => hash("sha256", token, "hex");
