import { serviceKey } from "@factory/runtime/subgraph/service-registry";

/** A secret's members in plain text. They must not be stored or logged. */
export type SecretMaterial = Record<string, unknown>;

/** The version to which a stored secret is bound. The secret cannot be opened for another one. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly version: number;
}

/** The columns that hold a version's sealed secret. */
export interface StoredSecret {
  /** The store's key that protects `wrappedKey`. It distinguishes a changed key from damage. */
  readonly keyId: string;
  /** This version's data key, encrypted by the store. Null after the secret was destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly ciphertext: Buffer;
}

/** The part in a stored secret that a new store key replaces. */
export type SecretWrapping = Pick<StoredSecret, "keyId"> & { readonly wrappedKey: Buffer };

/**
 * Keeps credentials' secrets. This is a port: `describeSecretStore` holds the rules for every driver, and
 * `EmbeddedSecretStore` is the driver that ships. Callers may call it in a transaction, so a driver answers without a
 * network call or from what it has cached.
 */
export interface SecretStore {
  /** The id of the key that protects new secrets. */
  readonly newestKeyId: string;
  /** Throws VALIDATION_FAILED for a secret larger than `maxSecretBytes`. */
  seal(owner: SecretOwner, secret: SecretMaterial): Promise<StoredSecret>;
  /**
   * Throws SECRET_STORE_UNAVAILABLE when the secret's key is not configured, INVALID_STATE when the secret was
   * destroyed, and an error without a code when the secret is damaged or belongs to another owner.
   */
  open(owner: SecretOwner, stored: StoredSecret): Promise<SecretMaterial>;
  /** Protects a secret's data key by the newest key. The ciphertext stays as it is. Throws as `open` does. */
  rewrapped(owner: SecretOwner, wrapping: SecretWrapping): Promise<SecretWrapping>;
  /** The columns for a version whose secret was destroyed. */
  destroyed(owner: SecretOwner, stored: StoredSecret): Promise<StoredSecret>;
}

/** The key under which the store is registered, for slices that open secrets before a tenant is known. */
export const secretStore = serviceKey<SecretStore>("SecretStore");

/** The largest secret's size as JSON in UTF-8. */
export const maxSecretBytes = 256 * 1024;
