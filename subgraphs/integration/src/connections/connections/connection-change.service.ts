import type { Principal } from "@factory/runtime/auth/principal";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import type { UpdateConnectionInput } from "./connection.input.js";
import type { ConnectionService } from "./connection.service.js";
import type { ConnectionType } from "./connection.type.js";
import { type ConnectionRecord, connectionView } from "./connection.view.js";
import { type CheckedConfiguration, checkedConfiguration, refuseToolsOfAgents } from "./connection-configuration.js";
import { lockConnections } from "./connection-limit.js";
import { resolveCredentials } from "./connection-references.js";
import { holdHostsOf, refuseChosenHost } from "./credential-hosts/credential-hosts.js";
import { lockedConnection } from "./locked-connection.js";
import type { Verification } from "./verification.js";

const store = namedStatement(
  "connection_change",
  `update connections set display_name = $displayName, project_id = $projectId, credential_ref = $credentialRef,
      credential_id = $credential, configuration = $configuration, webhook_secret_ref = $webhookSecretRef,
      webhook_credential_id = $webhookCredential, external_account_id = $externalAccountId,
      consecutive_rejections = case when $isVerified then 0 else consecutive_rejections end, version = version + 1
    where tenant_id = $tenant and connection_id = $connection`,
);

interface ChangeServices {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly verification: Verification;
}

/** A request that changes a connection. */
interface ConnectionChange extends Preconditions {
  readonly connectionId: string;
  readonly input: UpdateConnectionInput;
  readonly waitSeconds?: number | null | undefined;
}

/** The states in which new credentials are verified at once. */
const verifiedStates: readonly string[] = ["Active", "AuthorizationRequired"];

/** Changes the name, project, credential and settings of connections. */
export class ConnectionChangeService {
  readonly #services: ChangeServices;

  constructor(services: ChangeServices) {
    this.#services = services;
  }

  /** Members that are absent stay as they are. A change of the credential or the settings starts a verification. */
  async change(context: RequestContext, change: ConnectionChange): Promise<ConnectionType> {
    const { connectionId, input, ifMatch, waitSeconds } = change;
    requireSameTenant(context, input.tenantId);
    const { database, connections, verification } = this.#services;
    const principal = principalOf(context);
    const checked = input.configuration === undefined ? undefined : checkedConfiguration(input.configuration ?? {});
    const changed = await idempotentMutation(database, context, {
      field: "updateConnection",
      arguments: { connectionId, input, ifMatch },
      commit: async (transaction) => {
        if (input.credentialRef != null || checked?.webhookSecretRef != null) await lockConnections(transaction);
        await holdHostsOf(transaction, { principal, connectionId });
        const known = await lockedConnection(transaction, connectionId);
        requirePreconditions({ ifMatch }, known.version);
        if (checked) refuseToolsOfAgents(principal, known.configuration, checked.configuration);
        return connectionView(await this.#apply(transaction, known, { input, checked, principal }));
      },
    });
    if (waitSeconds == null) return changed;
    await verification.wait(context, changed.lastRunId, waitSeconds);
    return (await connections.find(context, connectionId)) ?? changed;
  }

  async #apply(
    transaction: Transaction,
    known: ConnectionRecord,
    { input, checked, principal }: Wanted,
  ): Promise<ConnectionRecord> {
    const next = {
      ...known,
      displayName: input.displayName ?? known.displayName,
      projectId: input.projectId === undefined ? known.projectId : input.projectId,
      credentialRef: input.credentialRef === undefined ? known.credentialRef : input.credentialRef,
      configuration: checked?.configuration ?? known.configuration,
      webhookSecretRef: checked ? checked.webhookSecretRef : known.webhookSecretRef,
      externalAccountId: checked ? checked.externalAccountId : known.externalAccountId,
    };
    const isVerified = input.credentialRef !== undefined || checked !== undefined;
    const found = isVerified ? await resolveCredentials(transaction, next, input.strictReferences === true) : {};
    const stored = { ...next, ...found, version: known.version + 1 };
    await refuseChosenHost(transaction, { ...stored, principal });
    await transaction.defer(store, valuesOf(stored, transaction.tenant.uuid, isVerified));
    if (checked) announceInboundSources(transaction);
    if (!isVerified || !verifiedStates.includes(known.status)) return stored;
    return this.#services.verification.start(transaction, stored);
  }
}

interface Wanted {
  readonly input: UpdateConnectionInput;
  /** Undefined when the settings stay as they are. */
  readonly checked: CheckedConfiguration | undefined;
  readonly principal: Principal;
}

function valuesOf(connection: ConnectionRecord, tenant: string, isVerified: boolean): unknown[] {
  const { connectionId, displayName, projectId, credentialRef, configuration, webhookSecretRef } = connection;
  const credential = (id: string | null) => (id === null ? null : decodeId("crd", id));
  return store.valuesOf({
    ...{ tenant, displayName, projectId, credentialRef, webhookSecretRef, isVerified },
    connection: decodeId("con", connectionId),
    credential: credential(connection.credentialId),
    configuration: JSON.stringify(configuration),
    webhookCredential: credential(connection.webhookCredentialId),
    externalAccountId: connection.externalAccountId,
  });
}
