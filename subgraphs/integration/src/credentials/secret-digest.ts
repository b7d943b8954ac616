import { createHmac } from "node:crypto";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SecretMaterial } from "./secret-store.js";

/** Keyed hashes that stand for secrets when requests are compared. A plain hash would allow guessing short secrets. */
export class SecretDigest {
  readonly #key: Buffer;

  constructor(masterKeys: MasterKeys) {
    // The digests are compared with those of the last 24 hours, so a new master key must not change them.
    this.#key = masterKeys.keyring("credential digest").oldest.bytes;
  }

  of(secret: SecretMaterial): string {
    return createHmac("sha256", this.#key).update(fingerprint(secret)).digest("hex");
  }
}
