import { DomainError } from "@factory/runtime/errors/domain-error";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { UnknownSealingKey } from "@factory/runtime/sealing/value-seal";
import {
  maxSecretBytes,
  type SecretMaterial,
  type SecretOwner,
  type SecretStore,
  type SecretWrapping,
  type StoredSecret,
} from "./secret-store.js";

/** The secret store in the platform's database: each version has a data key, which a master key wraps. */
export class EmbeddedSecretStore implements SecretStore {
  readonly #envelopes: EnvelopeSeal;

  constructor(masterKeys: MasterKeys) {
    this.#envelopes = new EnvelopeSeal(masterKeys.keyring("credential key wrapping"));
  }

  get newestKeyId(): string {
    return this.#envelopes.newestKeyId;
  }

  async seal(owner: SecretOwner, secret: SecretMaterial): Promise<StoredSecret> {
    const plain = Buffer.from(JSON.stringify(secret));
    if (plain.length > maxSecretBytes)
      throw new DomainError("VALIDATION_FAILED", {
        detail: `The secret must have at most ${maxSecretBytes} bytes as JSON.`,
        errors: [
          { pointer: "/input/secret", code: "TOO_LONG", detail: `At most ${maxSecretBytes} bytes are allowed.` },
        ],
      });
    return this.#envelopes.seal(plain, boundTo(owner));
  }

  async open(owner: SecretOwner, { keyId, wrappedKey, ciphertext }: StoredSecret): Promise<SecretMaterial> {
    if (wrappedKey === null)
      throw new DomainError("INVALID_STATE", { detail: "The secret of this version was destroyed." });
    const plain = withKnownKey(() => this.#envelopes.open({ keyId, wrappedKey, ciphertext }, boundTo(owner)));
    return JSON.parse(plain.toString()) as SecretMaterial;
  }

  async rewrapped(owner: SecretOwner, wrapping: SecretWrapping): Promise<SecretWrapping> {
    return withKnownKey(() => this.#envelopes.rewrapped(wrapping, boundTo(owner)));
  }

  async destroyed(_: SecretOwner, { keyId }: StoredSecret): Promise<StoredSecret> {
    return { keyId, wrappedKey: null, ciphertext: Buffer.alloc(0) };
  }
}

const boundTo = ({ tenantId, credentialId, version }: SecretOwner) => `${tenantId}|${credentialId}|${version}`;

function withKnownKey<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnknownSealingKey)) throw error;
    throw new DomainError("SECRET_STORE_UNAVAILABLE", {
      detail:
        "The stored secret cannot be read, because it was sealed with another SECRETS_KEY. Ask the operator to add the former key, or store the secret again.",
    });
  }
}
