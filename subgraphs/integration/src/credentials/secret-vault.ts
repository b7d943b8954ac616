import { createHmac } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { EnvelopeSeal, type SealedEnvelope } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { UnknownSealingKey } from "@factory/runtime/sealing/value-seal";

export type SecretMaterial = Record<string, unknown>;

/** The row that a sealed secret is bound to. The secret cannot be opened in another row. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly version: number;
}

/** Seals and opens the secrets of credentials. Each version has its own data key. */
export class SecretVault {
  readonly #envelopes: EnvelopeSeal;
  readonly #digestKey: Buffer;

  constructor(masterKeys: MasterKeys) {
    this.#envelopes = new EnvelopeSeal(masterKeys.keyring("credential key wrapping"));
    // The digests are compared with those of the last 24 hours, so a new master key must not change them.
    this.#digestKey = masterKeys.keyring("credential digest").oldest.bytes;
  }

  /** The ids of the former master keys. Secrets that they wrap must be rewrapped. */
  get formerKeyIds(): readonly string[] {
    return this.#envelopes.formerKeyIds;
  }

  seal(owner: SecretOwner, secret: SecretMaterial): SealedEnvelope {
    return this.#envelopes.seal(Buffer.from(JSON.stringify(secret)), boundTo(owner));
  }

  open(owner: SecretOwner, sealed: SealedEnvelope): SecretMaterial {
    try {
      return JSON.parse(this.#envelopes.open(sealed, boundTo(owner)).toString()) as SecretMaterial;
    } catch (error) {
      if (!(error instanceof UnknownSealingKey)) throw error;
      throw new DomainError("SECRET_STORE_UNAVAILABLE", {
        detail:
          "The stored secret cannot be read, because it was sealed with another SECRETS_KEY. Ask the operator to add the former key, or store the secret again.",
      });
    }
  }

  /** Wraps the data key of a secret with the newest master key. The ciphertext does not change. */
  rewrapped(owner: SecretOwner, wrapping: Omit<SealedEnvelope, "ciphertext">): Omit<SealedEnvelope, "ciphertext"> {
    return this.#envelopes.rewrapped(wrapping, boundTo(owner));
  }

  /**
   * A keyed hash that stands for a secret when requests are compared. A plain hash would allow guessing short secrets.
   */
  digest(secret: SecretMaterial): string {
    return createHmac("sha256", this.#digestKey).update(fingerprint(secret)).digest("hex");
  }
}

const boundTo = ({ tenantId, credentialId, version }: SecretOwner) => `${tenantId}|${credentialId}|${version}`;
