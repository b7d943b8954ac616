import { sealedInstallationSecrets } from "@factory/runtime/resealing/installation-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";

export interface InstallationSecretSettings {
  readonly masterKeys: MasterKeys;
}

/** The secrets that the database's provisioning has stored. The spine seals them again under a new SECRETS_KEY. */
export const installationSecrets: SliceModule<InstallationSecretSettings> = {
  slice: "installation-secrets",
  sealedTables: ({ masterKeys }) => sealedInstallationSecrets(masterKeys),
};
