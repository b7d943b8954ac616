import { installationSeal, installationSecrets } from "../provisioning/installation-secret.js";
import type { MasterKeys } from "../sealing/master-keys.js";
import { type SealedTable, sealedTextTable } from "./sealed-table.js";

/** The secrets that all processes of an installation share. */
export const sealedInstallationSecrets = (masterKeys: MasterKeys): SealedTable[] =>
  installationSecrets.map((secret) => {
    const seal = installationSeal(secret, masterKeys);
    return sealedTextTable({
      label: secret.label,
      table: secret.table,
      key: { name: "text" },
      column: "sealed",
      newestKeyId: seal.newestKeyId,
      resealed: (sealed, { name = "" }) => seal.open(sealed, name).resealed ?? sealed,
    });
  });
