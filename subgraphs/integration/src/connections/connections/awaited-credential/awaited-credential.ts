import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { verifyingKinds } from "../../../credentials/credentials/credential.states.js";
import type { CredentialArrivalHandler } from "../../../credentials/credentials/credential-arrivals.js";
import { credentialRef } from "../../../credentials/credentials/credential-name.js";
import { announceInboundSources } from "../../../providers/providers/inbound-sources.js";
import { checkSoon, holdProvidersNaming, useCredential, useWebhookCredential } from "./awaited-credential-statement.js";

/** How many connections get a run at once. Further ones are checked by schedule, a few at a time. */
const verifiedAtOnce = 100;

// The entity stands in the folder above, which imports this one.
interface UsingRow {
  connection_id: string;
  project_id: string | null;
  version: number;
  status: string;
}

interface NamingConnection {
  readonly connectionId: string;
  readonly projectId: string | null;
  readonly version: number;
}

/** The slice's parts that a new credential's effect needs. */
interface ConnectionParts {
  /** Makes the tenant's connections and credentials see each other, until the transaction ends. */
  readonly lock: (transaction: Transaction) => Promise<void>;
  readonly verify: (transaction: Transaction, connection: NamingConnection) => Promise<unknown>;
}

/** Gives a new credential to the connections that have named it before it existed, and verifies them. */
export function useAwaitedCredential({ lock, verify }: ConnectionParts): CredentialArrivalHandler {
  return async (transaction, { credentialId, name, kind, hasHosts }) => {
    const { execute, tenant } = transaction;
    const forms = [name, credentialRef(name)];
    const references = [tenant.uuid, forms];
    const uuid = decodeId("crd", credentialId);
    await lock(transaction);
    await execute(holdProvidersNaming, references);
    const values = useCredential.valuesOf({ tenant: tenant.uuid, forms, credential: uuid, hasHosts });
    const using = await execute<UsingRow>(useCredential, values);
    const verifiedRows = using.filter(({ status }) => status === "Active" || status === "AuthorizationRequired");
    for (const { connection_id, project_id: projectId, version } of verifiedRows.slice(0, verifiedAtOnce))
      await verify(transaction, { connectionId: encodeId("con", connection_id), projectId, version });
    const later = verifiedRows.slice(verifiedAtOnce).map(({ connection_id }) => connection_id);
    if (later.length > 0) await execute(checkSoon, [tenant.uuid, later]);
    if (!verifyingKinds.includes(kind)) return;
    const verifying = await execute(useWebhookCredential, [...references, uuid]);
    if (verifying.length > 0) announceInboundSources(transaction);
  };
}
