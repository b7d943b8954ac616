import { hash, timingSafeEqual } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";

/** A client secret is derived, so that a repeated request gets it again. */
export class ClientSecrets {
  readonly #secrets: DerivedSecrets;

  constructor(masterKeys: MasterKeys) {
    this.#secrets = new DerivedSecrets(masterKeys.keyring("factory spine client secrets"));
  }

  newNonce(): string {
    return this.#secrets.newNonce();
  }

  canDerive(nonce: string): boolean {
    return this.#secrets.canDerive(nonce);
  }

  derive(clientId: string, nonce: string): string {
    if (this.canDerive(nonce)) return this.#secrets.derive(clientId, nonce);
    throw new DomainError("SECRET_STORE_UNAVAILABLE", {
      detail: "The secret was derived from a SECRETS_KEY that is gone. It still works, but cannot be shown again.",
    });
  }
}

/** Plain SHA-256 is enough for 256 random bits; a slow hash protects guessable secrets only. */
export function secretDigest(secret: string): string {
  return hash("sha256", secret, "hex");
}

export function secretMatches(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(secretDigest(secret), "hex"), Buffer.from(digest, "hex"));
}
