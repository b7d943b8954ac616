import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * The channel that announces a change to a credential's versions after its commit. The payload is
 * `<UUID of the tenant> <UUID of the credential>`. A notification can be lost with its process or connection, so a
 * listener drops everything after a reconnect, and keeps an opened secret for at most a minute.
 */
export const credentialChanged = "credential_changed";

/** Announces after the commit that a credential's versions have changed. */
export function announceChange({ notify, tenant }: Transaction, credentialId: string): void {
  notify(credentialChanged, `${tenant.uuid} ${decodeId("crd", credentialId)}`);
}
