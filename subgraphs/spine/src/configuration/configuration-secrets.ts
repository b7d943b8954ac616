import { createHmac } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { type OpenedValue, UnknownSealingKey, ValueSeal } from "@factory/runtime/sealing/value-seal";

/** Seals the values of secret entries. A sealed value opens for its tenant and key only. */
export class ConfigurationSecrets {
  /** The id of the key that seals new values, and whether values may be sealed with another one. */
  readonly newestKeyId: string;
  readonly hasFormerKeys: boolean;
  readonly #seal: ValueSeal;
  readonly #digestKey: Buffer;

  constructor(masterKeys: MasterKeys) {
    const keyring = masterKeys.keyring("factory spine configuration");
    this.newestKeyId = keyring.newest.id;
    this.hasFormerKeys = keyring.all.length > 1;
    this.#seal = new ValueSeal(keyring);
    // The digests are compared with those of the last 24 hours, so a new master key must not change them.
    this.#digestKey = masterKeys.keyring("factory spine configuration digest").oldest.bytes;
  }

  seal(tenantId: string, key: string, text: string): string {
    return this.#seal.seal(text, boundTo(tenantId, key));
  }

  /** Throws when the value is damaged, or when the master key that sealed it is not configured. */
  open(tenantId: string, key: string, sealed: string): OpenedValue {
    return this.#seal.open(sealed, boundTo(tenantId, key));
  }

  /** The value sealed with the newest key. Throws SECRET_STORE_UNAVAILABLE when its master key is not configured. */
  renewed(tenantId: string, key: string, sealed: string): string {
    try {
      return this.open(tenantId, key, sealed).resealed ?? sealed;
    } catch (error) {
      if (!(error instanceof UnknownSealingKey)) throw error;
      throw new DomainError("SECRET_STORE_UNAVAILABLE", {
        detail:
          "The stored secret cannot be read, because it was sealed with another SECRETS_KEY. Ask the operator to add the former key, or set the secret again.",
      });
    }
  }

  /** A keyed hash that stands for a value when requests are compared: a plain hash would allow guessing short secrets. */
  digest(value: unknown): string {
    return createHmac("sha256", this.#digestKey).update(fingerprint(value)).digest("hex");
  }
}

const boundTo = (tenantId: string, key: string) => `${tenantId}|${key}`;
