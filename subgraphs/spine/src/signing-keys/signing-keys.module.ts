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

/** The keys that sign tokens, and their rotation. */
export const signingKeys: SliceModule<SigningKeySettings> = {
  slice: "signing-keys",
  entities: [SigningKey],
  events: ["SigningKeyRotated"],
  start({ settings, database, workers, logger, onStop }, services) {
    const store = new SigningKeyStore(
      workers,
      new ValueSeal(settings.masterKeys.keyring("factory spine signing keys")),
    );
    const keys = services.add(new ActiveSigningKeys(store, logger));
    onStop(() => keys.stop());
    services.add(new SigningKeyService(database, keys));
  },
  resolvers: (get) => [new SigningKeyResolver(get(SigningKeyService))],
};
