import { createHmac } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { EnvelopeSeal, type SealedEnvelope } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { UnknownSealingKey } from "@factory/runtime/sealing/value-seal";

export type SecretMaterial = Record<string, unknown>;

/** What a sealed secret is bound to: moved to another row it does not open. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly version: number;
}

/** Secrets of credentials, each version in an envelope of its own. */
export class SecretVault {
  readonly #envelopes: EnvelopeSeal;
  readonly #digestKey: Buffer;

  constructor(masterKeys: MasterKeys) {
    this.#envelopes = new EnvelopeSeal(masterKeys.keyring("credential key wrapping"));
    // digests are compared with those of the last 24 h: a new master key must not change them
    this.#digestKey = masterKeys.keyring("credential digest").oldest.bytes;
  }

  /** Under these keys lie secrets that are to be rewrapped. */
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
      throw new DomainError("SECRET_STORE_UNAVAILABLE", { detail: "The secret was sealed under another SECRETS_KEY." });
    }
  }

  /** The same secret, its data key wrapped by the newest master key. */
  rewrapped(owner: SecretOwner, wrapping: Omit<SealedEnvelope, "ciphertext">): Omit<SealedEnvelope, "ciphertext"> {
    return this.#envelopes.rewrapped(wrapping, boundTo(owner));
  }

  /** Stands for a secret where requests are compared: a plain hash would let short secrets be guessed. */
  digest(secret: SecretMaterial): string {
    return createHmac("sha256", this.#digestKey).update(fingerprint(secret)).digest("hex");
  }
}

const boundTo = ({ tenantId, credentialId, version }: SecretOwner) => `${tenantId}|${credentialId}|${version}`;
