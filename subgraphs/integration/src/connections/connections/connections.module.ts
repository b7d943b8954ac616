import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { DeliveryAddresses } from "../../ground/delivery-address/delivery-url.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { ProviderMoveListeners } from "../../providers/providers/provider-move-listeners.js";
import { RunService } from "../../runs/run.service.js";
import { AuthorizationLinks } from "./authorization-links.js";
import { useAwaitedCredential } from "./awaited-credential/awaited-credential.js";
import { Connection } from "./connection.entity.js";
import { ConnectionResolver } from "./connection.resolver.js";
import { ConnectionService } from "./connection.service.js";
import { readConnections } from "./connection.type.js";
import { ConnectionChangeService } from "./connection-change.service.js";
import { ConnectionEndListeners } from "./connection-end-listeners.js";
import { ConnectionHealthRecord } from "./connection-health-record.js";
import { ConnectionLifecycleResolver } from "./connection-lifecycle.resolver.js";
import { ConnectionLifecycleService } from "./connection-lifecycle.service.js";
import { lockConnections } from "./connection-limit.js";
import { ConnectionListService } from "./connection-list.service.js";
import { ConnectionStates } from "./connection-moves.js";
import { guardCredentials } from "./credential-hosts/credential-hosts.js";
import { DeliveryUrlResolver } from "./delivery-url.resolver.js";
import { followProvider } from "./provider-effects.js";
import { Verification } from "./verification.js";

export interface ConnectionSettings {
  /** The address that vendors call, without a slash at its end. */
  readonly publicUrl?: string;
}

/** The accounts at vendors that the platform may use for its tenants. */
export const connections: SliceModule<ConnectionSettings> = {
  slice: "connections",
  entities: [Connection],
  foreignKeys: {
    "connections.provider_id": {
      to: "providers.provider_id",
      onDelete: "no action",
      why: "A connection cannot be used without its provider.",
    },
    "connections.credential_id": {
      to: "credentials.credential_id",
      onDelete: "no action",
      why: "A credential that a connection uses is revoked and not deleted.",
    },
    "connections.webhook_credential_id": {
      to: "credentials.credential_id",
      onDelete: "no action",
      why: "As for the credential of the connection.",
    },
    "connections.external_account_id": { to: null, why: "An id of the vendor." },
    "connections.project_id": { to: null, why: "Projects are not stored by the platform." },
    "connections.health_run_id": { to: null, why: "Runs are deleted after their retention." },
    "connections.last_run_id": { to: null, why: "Runs are deleted after their retention." },
    "connections.trace_id": { to: null, why: "A trace is not a row." },
  },
  events: [
    "ConnectionEstablished",
    "ConnectionSuspended",
    "ConnectionResumed",
    "ConnectionAuthorizationLost",
    "ConnectionReauthorized",
    "ConnectionDisabled",
    "ConnectionDeleted",
    "ConnectionHealthChanged",
  ],
  start({ database, cursors, settings }, services) {
    const { publicUrl = "http://127.0.0.1:4000" } = settings;
    services.add(new DeliveryAddresses(publicUrl));
    const runs = services.get(RunService);
    const verification = services.add(new Verification(runs));
    const connections = services.add(
      new ConnectionService(database, verification, services.add(new AuthorizationLinks())),
    );
    const states = services.add(new ConnectionStates());
    const ends = services.add(new ConnectionEndListeners());
    services.add(new ConnectionHealthRecord());
    services.add(new ConnectionListService(database, cursors));
    services.add(new ConnectionChangeService({ database, connections, verification }));
    services.add(new ConnectionLifecycleService({ database, connections, states, verification, runs, ends }));
    services.get(CredentialService).arrivals.add(
      useAwaitedCredential({
        lock: lockConnections,
        verify: (transaction, connection) => verification.start(transaction, connection),
      }),
    );
    const providerListeners = services.get(ProviderMoveListeners);
    providerListeners.add(followProvider);
    providerListeners.addForOrigins(guardCredentials);
  },
  resolvers: (get) => [
    new ConnectionResolver(get(ConnectionService), get(ConnectionListService)),
    new ConnectionLifecycleResolver(get(ConnectionChangeService), get(ConnectionLifecycleService)),
    new DeliveryUrlResolver(get(ProviderService), get(DeliveryAddresses)),
  ],
  links: {
    "Connection.providerId": { to: "Provider" },
    "Connection.lastRunId": { to: "Run" },
    "Connection.healthRunId": { to: "Run" },
    "Connection.tenantId": { to: "Tenant" },
  },
  references(get) {
    const service = get(ConnectionService);
    return {
      Connection: {
        id: { prefix: "con", field: "connectionId" },
        auth: readConnections,
        resolve: ({ connectionId = "" }, context) => service.find(context, connectionId),
      },
    };
  },
};
