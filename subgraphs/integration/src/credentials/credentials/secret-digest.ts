import { createHmac, timingSafeEqual } from "node:crypto";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import type { DerivedKey, Keyring, MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SecretMaterial } from "./secret-store.js";

/** Keyed hashes that stand for secrets when requests are compared. A plain hash would allow guessing short secrets. */
export class SecretDigest {
  readonly #keys: Keyring;

  constructor(masterKeys: MasterKeys) {
    this.#keys = masterKeys.keyring("credential digest");
  }

  of(secret: SecretMaterial): string {
    return digestUnder(this.#keys.newest, secret);
  }

  /** Whether two secrets are the same one. The time that it takes does not depend on them. */
  areEqual(first: SecretMaterial, other: SecretMaterial): boolean {
    return timingSafeEqual(Buffer.from(this.of(first)), Buffer.from(this.of(other)));
  }

  /** The digests under former master keys, for requests from the last 24 hours. */
  formerly(secret: SecretMaterial): string[] {
    return this.#keys.all.slice(1).map((key) => digestUnder(key, secret));
  }
}

const digestUnder = ({ bytes }: DerivedKey, secret: SecretMaterial): string =>
  createHmac("sha256", bytes).update(fingerprint(secret)).digest("hex");
