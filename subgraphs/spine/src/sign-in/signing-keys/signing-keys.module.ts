import { sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ActiveSigningKeys } from "./active-signing-keys.js";
import { SigningKey } from "./signing-key.entity.js";
import { SigningKeyResolver } from "./signing-key.resolver.js";
import { SigningKeyService } from "./signing-key.service.js";
import { SigningKeyStore } from "./signing-key-store.js";

export interface SigningKeySettings {
  readonly masterKeys: MasterKeys;
}

const sealOf = ({ masterKeys }: SigningKeySettings) => new ValueSeal(masterKeys.keyring("factory spine signing keys"));

/** The keys that sign tokens, and their rotation. */
export const signingKeys: SliceModule<SigningKeySettings> = {
  slice: "signing-keys",
  entities: [SigningKey],
  events: ["SigningKeyRotated"],
  start({ settings, database, workers, logger, onStop }, services) {
    const store = new SigningKeyStore(workers, sealOf(settings));
    const keys = services.add(new ActiveSigningKeys(store, logger));
    onStop(() => keys.stop());
    services.add(new SigningKeyService(database, keys));
  },
  sealedTables(settings) {
    const seal = sealOf(settings);
    return [
      sealedTextTable({
        label: "factory spine signing keys",
        table: "signing_keys",
        key: { key_id: "text" },
        column: "sealed_private_key",
        newestKeyId: seal.newestKeyId,
        resealed: (sealedKey, { key_id: keyId = "" }) => seal.open(sealedKey, keyId).resealed ?? sealedKey,
      }),
    ];
  },
  resolvers: (get) => [new SigningKeyResolver(get(SigningKeyService))],
};
