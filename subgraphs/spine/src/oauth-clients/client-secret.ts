import { hash, timingSafeEqual } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type SealedTable, sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";

/** Client secrets. They are derived from SECRETS_KEY and a nonce, so that a repeated request gets the same secret. */
export class ClientSecrets {
  readonly #secrets: DerivedSecrets;

  constructor(masterKeys: MasterKeys) {
    this.#secrets = new DerivedSecrets(masterKeys.keyring("factory spine client secrets"));
  }

  /** A nonce for a new secret. */
  newNonce(): string {
    return this.#secrets.newNonce();
  }

  /** Whether this nonce's master key is still configured. */
  canDerive(nonce: string): boolean {
    return this.#secrets.canDerive(nonce);
  }

  /** A client's secret. Throws `SECRET_STORE_UNAVAILABLE` if its master key is not configured any longer. */
  derive(clientId: string, nonce: string): string {
    if (this.canDerive(nonce)) return this.#secrets.derive(clientId, nonce);
    throw new DomainError("SECRET_STORE_UNAVAILABLE", {
      detail:
        "The secret cannot be shown again, since the SECRETS_KEY it was derived from is not configured any longer. It is still valid.",
    });
  }
}

/** The nonces for client secrets, for a new master key. */
export function sealedClientSecrets(masterKeys: MasterKeys): SealedTable {
  const secrets = new DerivedSecrets(masterKeys.keyring("factory spine client secrets"));
  return sealedTextTable({
    label: "factory spine client secrets",
    table: "api_clients",
    key: { tenant_id: "uuid", client_id: "text" },
    column: "secret_nonce",
    newestKeyId: secrets.newestKeyId,
    resealed: (nonce, { client_id: clientId = "" }) => secrets.renewed(clientId, nonce),
  });
}

/** SHA-256, hex. It is enough for 256 random bits: a slow hash is only needed for secrets that can be guessed. */
export function secretDigest(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compares in constant time. */
export function secretMatches(secret: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(secretDigest(secret), "hex"), Buffer.from(digest, "hex"));
}
