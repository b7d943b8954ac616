import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { agreedAuthority, type SharedAuthority } from "@factory/runtime/grpc/service-certificates";
import { grpcAuthority, storedSecret, storeSecret } from "@factory/runtime/provisioning/installation-secret";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import pg from "pg";

/**
 * The certificate authority of all processes over this database. Key and certificates are sealed together, so a
 * database role that may write the row can add none. The first process brings the authority in its folder, if there is
 * one.
 */
export async function storedAuthority(
  adminUrl: string,
  masterKeys: MasterKeys,
  folder: string,
  now = new Date(),
): Promise<SharedAuthority> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.grpcAuthority]);
    const storedText = await storedSecret(client, grpcAuthority, masterKeys);
    const chosenAuthority = await agreedAuthority(
      storedText === undefined ? undefined : JSON.parse(storedText),
      folder,
      now,
    );
    const text = JSON.stringify(chosenAuthority);
    if (text !== storedText) await storeSecret(client, grpcAuthority, masterKeys, text);
    await client.query("commit");
    return chosenAuthority;
  } finally {
    await client.end();
  }
}
