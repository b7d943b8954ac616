import { createHmac } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type SealedTable, sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import { EnvelopeSeal, isEnvelopeText } from "@factory/runtime/sealing/envelope-seal";
import type { DerivedKey, Keyring, MasterKeys } from "@factory/runtime/sealing/master-keys";
import { UnknownSealingKey, ValueSeal } from "@factory/runtime/sealing/value-seal";

/** The entry's version to which a secret value is bound. It cannot be opened for another one. */
interface ConfigurationOwner {
  readonly tenantId: string;
  readonly key: string;
  readonly version: number;
}

/** Seals secret entries: each version has its own data key, which a master key wraps. */
export class ConfigurationSecrets {
  readonly #envelopes: EnvelopeSeal;
  /** Values from before 2026-11-23 have no data key and are bound to the tenant and the key. */
  readonly #former: ValueSeal;
  readonly #digestKeys: Keyring;

  constructor(masterKeys: MasterKeys) {
    const keyring = masterKeys.keyring("factory spine configuration");
    this.#envelopes = new EnvelopeSeal(keyring);
    this.#former = new ValueSeal(keyring);
    this.#digestKeys = masterKeys.keyring("factory spine configuration digest");
  }

  get newestKeyId(): string {
    return this.#envelopes.newestKeyId;
  }

  seal(owner: ConfigurationOwner, text: string): string {
    return this.#envelopes.sealText(text, boundTo(owner));
  }

  /**
   * Throws SECRET_STORE_UNAVAILABLE when the value's master key is not configured, and an error without a code when the
   * value is damaged.
   */
  open(owner: ConfigurationOwner, sealedText: string): string {
    try {
      if (isEnvelopeText(sealedText)) return this.#envelopes.openText(sealedText, boundTo(owner));
      return this.#former.open(sealedText, `${owner.tenantId}|${owner.key}`).text;
    } catch (error) {
      if (!(error instanceof UnknownSealingKey)) throw error;
      throw new DomainError("SECRET_STORE_UNAVAILABLE", {
        detail:
          "The stored secret cannot be read, because it was sealed with another SECRETS_KEY. Ask the operator to add the former key, or set the secret again.",
      });
    }
  }

  /** The same value under the newest key. */
  resealed(owner: ConfigurationOwner, sealedText: string): string {
    const text = this.open(owner, sealedText);
    return isEnvelopeText(sealedText)
      ? this.#envelopes.rewrappedText(sealedText, boundTo(owner))
      : this.seal(owner, text);
  }

  /** A keyed hash that stands for a value when requests are compared: a plain hash would allow guessing short secrets. */
  digest(value: unknown): string {
    return digestUnder(this.#digestKeys.newest, value);
  }

  /** The hashes under former master keys, for requests within the last 24 hours. */
  formerDigests(value: unknown): string[] {
    return this.#digestKeys.all.slice(1).map((key) => digestUnder(key, value));
  }
}

/** The tables with secret values, for a change of the master key. Values in the former form get a data key. */
export function sealedConfiguration(secrets: ConfigurationSecrets): SealedTable[] {
  return ["configuration_entries", "configuration_versions"].map((table) =>
    sealedTextTable({
      label: "factory spine configuration",
      table,
      key: { tenant_id: "uuid", key: "text", version: "integer" },
      column: "sealed_value",
      newestKeyId: secrets.newestKeyId,
      formerForm: "split_part(sealed_value, '.', 3) = ''",
      resealed: (sealedText, { tenant_id: tenant = "", key = "", version }) =>
        secrets.resealed({ tenantId: encodeId("ten", tenant), key, version: Number(version) }, sealedText),
    }),
  );
}

const digestUnder = ({ bytes }: DerivedKey, value: unknown): string =>
  createHmac("sha256", bytes).update(fingerprint(value)).digest("hex");

const boundTo = ({ tenantId, key, version }: ConfigurationOwner) => `${tenantId}|${key}|${version}`;
