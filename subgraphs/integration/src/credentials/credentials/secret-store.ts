import { serviceKey } from "@factory/runtime/subgraph/service-registry";

/** The members of a secret in plain text. They must not be stored or logged. */
export type SecretMaterial = Record<string, unknown>;

/** The version to which a stored secret is bound. The secret cannot be opened for another one. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly version: number;
}

/** The columns of a version in which its secret is sealed. */
export interface StoredSecret {
  /** The key of the store that protects `wrappedKey`. It distinguishes a changed key from damage. */
  readonly keyId: string;
  /** The data key of this version, encrypted by the store. Null after the secret was destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly ciphertext: Buffer;
}

/** The part of a stored secret that a new key of the store replaces. */
export type SecretWrapping = Pick<StoredSecret, "keyId"> & { readonly wrappedKey: Buffer };

/**
 * Keeps the secrets of credentials. This is a port: `describeSecretStore` holds the rules for every driver, and
 * `EmbeddedSecretStore` is the driver that ships. Callers may call it in a transaction, so a driver answers without a
 * network call or from what it has cached.
 */
export interface SecretStore {
  /** The id of the key that protects new secrets. */
  readonly newestKeyId: string;
  /** Throws VALIDATION_FAILED for a secret of more than `maxSecretBytes`. */
  seal(owner: SecretOwner, secret: SecretMaterial): Promise<StoredSecret>;
  /**
   * Throws SECRET_STORE_UNAVAILABLE when the key of the secret is not configured, INVALID_STATE when the secret was
   * destroyed, and an error without a code when the secret is damaged or belongs to another owner.
   */
  open(owner: SecretOwner, stored: StoredSecret): Promise<SecretMaterial>;
  /** Protects the data key of a secret by the newest key. The ciphertext stays as it is. Throws as `open` does. */
  rewrapped(owner: SecretOwner, wrapping: SecretWrapping): Promise<SecretWrapping>;
  /** The columns of a version whose secret was destroyed. */
  destroyed(owner: SecretOwner, stored: StoredSecret): Promise<StoredSecret>;
}

/** The key under which the store is registered, for slices that open secrets before a tenant is known. */
export const secretStore = serviceKey<SecretStore>("SecretStore");

/** The size of the largest secret as JSON in UTF-8. */
export const maxSecretBytes = 256 * 1024;
