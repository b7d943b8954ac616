import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type SealedTable, wrappedKeyTable } from "@factory/runtime/resealing/sealed-table";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";

const label = "factory integration vendor commands";

export const commandSeal = (masterKeys: MasterKeys): EnvelopeSeal => new EnvelopeSeal(masterKeys.keyring(label));

/** The row to which a command's data is bound. It cannot be opened in another one. */
export const commandBinding = (tenantId: string, commandId: string): string => `${tenantId}|${commandId}`;

/** The data in commands that have not ended, for a change of the master key. */
export const sealedCommands = (seal: EnvelopeSeal): SealedTable =>
  wrappedKeyTable({
    label,
    table: "vendor_commands",
    key: { tenant_id: "uuid", command_id: "uuid" },
    newestKeyId: seal.newestKeyId,
    rewrapped: (wrapping, { tenant_id: tenant = "", command_id: command = "" }) =>
      seal.rewrapped(wrapping, commandBinding(encodeId("ten", tenant), encodeId("cmd", command))),
  });
