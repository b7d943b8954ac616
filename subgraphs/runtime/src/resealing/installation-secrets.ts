import { installationSeal, installationSecrets } from "../provisioning/installation-secret.js";
import type { MasterKeys } from "../sealing/master-keys.js";
import { type SealedTable, sealedTextTable } from "./sealed-table.js";

/** The secrets that all processes in an installation share. */
export const sealedInstallationSecrets = (masterKeys: MasterKeys): SealedTable[] =>
  installationSecrets.map((secret) => {
    const seal = installationSeal(secret, masterKeys);
    return sealedTextTable({
      label: secret.label,
      table: secret.table,
      key: { name: "text" },
      column: "sealed",
      newestKeyId: seal.newestKeyId,
      resealed: (sealedText, { name = "" }) => seal.open(sealedText, name).resealed ?? sealedText,
    });
  });
