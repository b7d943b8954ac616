import { keyStatement } from "@factory/runtime/db/key-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import type { AuthorizationLinks } from "./authorization-links.js";
import { Connection } from "./connection.entity.js";
import type { CreateConnectionInput } from "./connection.input.js";
import { type AuthMode, authModes } from "./connection.states.js";
import type { ConnectionType } from "./connection.type.js";
import {
  type ConnectionRecord,
  type ConnectionRow,
  connectionColumns,
  connectionView,
  readConnection,
} from "./connection.view.js";
import { checkedConfiguration } from "./connection-configuration.js";
import { requireRoomForConnection } from "./connection-limit.js";
import { resolveReferences } from "./connection-references.js";
import { refuseChosenHost } from "./credential-hosts/credential-hosts.js";
import { unknownConnection } from "./locked-connection.js";
import type { Verification } from "./verification.js";

const connectionById = keyStatement(
  "connection_by_id",
  `select ${connectionColumns} from connections
   where tenant_id = scope.tenant and connection_id = $2 and status <> 'Deleted'`,
);

/** Establishes and finds connections. */
export class ConnectionService {
  readonly #database: Database;
  readonly #verification: Verification;
  readonly #links: AuthorizationLinks;

  constructor(database: Database, verification: Verification, links: AuthorizationLinks) {
    this.#database = database;
    this.#verification = verification;
    this.#links = links;
  }

  /** The connection as the slices below use it; undefined if it does not exist or is deleted. */
  async record(tenant: Tenant, connectionId: string): Promise<ConnectionRecord | undefined> {
    const uuid = decodeId("con", connectionId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ConnectionRow>(connectionById, tenant, uuid);
    return row && readConnection(row);
  }

  async find(context: RequestContext, connectionId: string): Promise<ConnectionType | undefined> {
    const connection = await this.record(tenantOf(context), connectionId);
    return connection && connectionView(connection);
  }

  async get(context: RequestContext, connectionId: string): Promise<ConnectionType> {
    const connection = await this.find(context, connectionId);
    if (!connection) throw unknownConnection();
    return connection;
  }

  /** Establishes a connection, and starts the run that verifies it. The caller may wait for that run. */
  async create(
    context: RequestContext,
    input: CreateConnectionInput,
    waitSeconds?: number | null,
  ): Promise<ConnectionType> {
    requireSameTenant(context, input.tenantId);
    const authMode = checkedAuthMode(input.authMode);
    const configuration = checkedConfiguration(input.configuration ?? {});
    let establishedConnection: { readonly view: ConnectionType; readonly url: string | null } | undefined;
    const createdConnection = await idempotentMutation(this.#database, context, {
      field: "createConnection",
      arguments: input,
      commit: async (transaction) => {
        announceInboundSources(transaction);
        await requireRoomForConnection(transaction);
        const credentials = await resolveReferences(transaction, {
          providerId: input.providerId,
          authMode,
          credentialRef: input.credentialRef ?? null,
          webhookSecretRef: configuration.webhookSecretRef,
          strictReferences: input.strictReferences === true,
          strictAuthModel: input.strictAuthModel === true,
          founder: principalOf(context),
        });
        const { providerId, displayName, projectId = null, credentialRef = null } = input;
        const { credentialId } = credentials;
        await refuseChosenHost(transaction, { principal: principalOf(context), providerId, credentialId });
        const newConnection = {
          providerId,
          displayName,
          projectId,
          credentialRef,
          authMode,
          ...configuration,
          ...credentials,
        };
        const connectionId = newId("con");
        const lastRunId = await this.#verification.startFirst(transaction, { connectionId, projectId });
        const ids = { connectionId, lastRunId, traceId: context.trace.traceId };
        const view = connectionView(establish(transaction, { ...newConnection, ...ids }));
        establishedConnection = {
          view,
          url: await this.#links.makeIn(transaction, { connectionId, providerId, authMode }),
        };
        return view;
      },
    });
    const isNew = establishedConnection?.view === createdConnection;
    let shownConnection = createdConnection;
    if (waitSeconds != null) {
      await this.#verification.wait(context, createdConnection.lastRunId, waitSeconds);
      shownConnection = (await this.find(context, createdConnection.connectionId)) ?? createdConnection;
    }
    // The link is never stored, because anyone who has it can use it.
    if (isNew) shownConnection.authorizationUrl = establishedConnection?.url ?? null;
    return shownConnection;
  }
}

type Wanted = Pick<
  Connection,
  | "connectionId"
  | "lastRunId"
  | "projectId"
  | "providerId"
  | "displayName"
  | "authMode"
  | "credentialRef"
  | "credentialId"
  | "configuration"
  | "webhookSecretRef"
  | "webhookCredentialId"
  | "externalAccountId"
  | "traceId"
>;

/** A connection is Active and Healthy at once, as the specification shows it, although nothing has checked it yet. */
function establish({ em, tenant, record }: Transaction, newConnection: Wanted): Connection {
  const connection = em.create(Connection, {
    ...newConnection,
    tenantId: tenant.tenantId,
    status: "Active",
    statusReason: null,
    health: "Healthy",
    healthReason: null,
    healthRunId: null,
    lastCheckedAt: null,
    consecutiveFailures: 0,
    consecutiveSuccesses: 0,
    consecutiveRejections: 0,
    failingSince: null,
    failureDays: {},
    nextProbeAt: null,
    establishedAt: new Date(),
    version: 1,
    deletedAt: null,
  });
  em.persist(connection);
  const { connectionId, providerId, displayName, authMode, status, health, projectId } = connection;
  record({
    type: "ConnectionEstablished",
    subject: `connections/${connectionId}`,
    projectId,
    data: { connectionId, providerId, displayName, authMode, status, health, projectId },
  });
  return connection;
}

function checkedAuthMode(authMode: string): AuthMode {
  const mode = authModes.find((candidate) => candidate === authMode);
  if (mode === undefined) throw invalidEnumValue([{ pointer: "/input/authMode", allowed: authModes }]);
  return mode;
}
