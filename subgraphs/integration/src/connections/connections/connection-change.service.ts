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

/** Changes a connection's name, project, credential and settings. */
export class ConnectionChangeService {
  readonly #services: ChangeServices;

  constructor(services: ChangeServices) {
    this.#services = services;
  }

  /** Members that are absent stay as they are. A change to the credential or the settings starts a verification. */
  async change(context: RequestContext, change: ConnectionChange): Promise<ConnectionType> {
    const { connectionId, input, ifMatch, waitSeconds } = change;
    requireSameTenant(context, input.tenantId);
    const { database, connections, verification } = this.#services;
    const principal = principalOf(context);
    const configuration =
      input.configuration === undefined ? undefined : checkedConfiguration(input.configuration ?? {});
    const changedConnection = await idempotentMutation(database, context, {
      field: "updateConnection",
      arguments: { connectionId, input, ifMatch },
      commit: async (transaction) => {
        if (input.credentialRef != null || configuration?.webhookSecretRef != null) await lockConnections(transaction);
        await holdHostsOf(transaction, { principal, connectionId });
        const connection = await lockedConnection(transaction, connectionId);
        requirePreconditions({ ifMatch }, connection.version);
        if (configuration) refuseToolsOfAgents(principal, connection.configuration, configuration.configuration);
        return connectionView(await this.#apply(transaction, connection, { input, checked: configuration, principal }));
      },
    });
    if (waitSeconds == null) return changedConnection;
    await verification.wait(context, changedConnection.lastRunId, waitSeconds);
    return (await connections.find(context, connectionId)) ?? changedConnection;
  }

  async #apply(
    transaction: Transaction,
    connection: ConnectionRecord,
    { input, checked, principal }: Wanted,
  ): Promise<ConnectionRecord> {
    const next = {
      ...connection,
      displayName: input.displayName ?? connection.displayName,
      projectId: input.projectId === undefined ? connection.projectId : input.projectId,
      credentialRef: input.credentialRef === undefined ? connection.credentialRef : input.credentialRef,
      configuration: checked?.configuration ?? connection.configuration,
      webhookSecretRef: checked ? checked.webhookSecretRef : connection.webhookSecretRef,
      externalAccountId: checked ? checked.externalAccountId : connection.externalAccountId,
    };
    const isVerified = input.credentialRef !== undefined || checked !== undefined;
    const credentials = isVerified ? await resolveCredentials(transaction, next, input.strictReferences === true) : {};
    const storedConnection = { ...next, ...credentials, version: connection.version + 1 };
    await refuseChosenHost(transaction, { ...storedConnection, principal });
    await transaction.defer(store, valuesOf(storedConnection, transaction.tenant.uuid, isVerified));
    if (checked) announceInboundSources(transaction);
    if (!isVerified || !verifiedStates.includes(connection.status)) return storedConnection;
    return this.#services.verification.start(transaction, storedConnection);
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
