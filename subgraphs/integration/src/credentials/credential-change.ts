import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * The channel on which a change of a credential's versions is announced. The payload is
 * `<UUID of the tenant> <UUID of the credential>`. A listener that reconnects gets no payload, and drops all it keeps.
 */
export const credentialChanged = "credential_changed";

const announce = { name: "credential_changed", text: "select pg_notify($1, $2)" };

/**
 * Announces that versions of a credential have changed. Other notices are sent after the commit; this one is part of the
 * transaction, because a process that ends between the two would leave a revoked secret in the memory of others.
 */
export async function announceChange({ defer, tenant }: Transaction, credentialId: string): Promise<void> {
  await defer(announce, [credentialChanged, `${tenant.uuid} ${decodeId("crd", credentialId)}`]);
}
