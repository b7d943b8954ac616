import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type SealedTable, wrappedKeyTable } from "@factory/runtime/resealing/sealed-table";
import type { SecretStore } from "./secret-store.js";

/**
 * The secrets in credentials, for a change of the master key. The data keys are wrapped again, the ciphertexts stay.
 */
export function sealedCredentials(store: SecretStore): SealedTable {
  return wrappedKeyTable({
    label: "credential key wrapping",
    table: "credential_versions",
    key: { tenant_id: "uuid", credential_id: "uuid", version: "integer" },
    newestKeyId: store.newestKeyId,
    rewrapped: (wrapping, { tenant_id: tenant = "", credential_id: credential = "", version }) =>
      store.rewrapped(
        { tenantId: encodeId("ten", tenant), credentialId: encodeId("crd", credential), version: Number(version) },
        wrapping,
      ),
  });
}
