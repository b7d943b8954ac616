import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type SealedTable, wrappedKeyTable } from "@factory/runtime/resealing/sealed-table";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";

const label = "factory integration connection tokens";

export const tokenSeal = (masterKeys: MasterKeys): EnvelopeSeal => new EnvelopeSeal(masterKeys.keyring(label));

/** The row to which tokens are bound. They cannot be opened in another one. */
export const tokenBinding = (tenantId: string, connectionId: string): string => `${tenantId}|${connectionId}`;

/** The connections' tokens, for a change of the master key. */
export const sealedTokens = (seal: EnvelopeSeal): SealedTable =>
  wrappedKeyTable({
    label,
    table: "connection_tokens",
    key: { tenant_id: "uuid", connection_id: "uuid" },
    newestKeyId: seal.newestKeyId,
    rewrapped: (wrapping, { tenant_id: tenant = "", connection_id: connection = "" }) =>
      seal.rewrapped(wrapping, tokenBinding(encodeId("ten", tenant), encodeId("con", connection))),
  });
