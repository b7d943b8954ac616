import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { Connection } from "./connection.entity.js";
import { ConnectionResolver } from "./connection.resolver.js";
import { ConnectionService } from "./connection.service.js";
import { readConnections } from "./connection.type.js";
import { ConnectionHealthRecord } from "./connection-health-record.js";
import { ConnectionStates } from "./connection-moves.js";

/** The accounts at vendors that the platform may use for its tenants. */
export const connections: SliceModule = {
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
  start({ database }, services) {
    services.add(new ConnectionService(database));
    services.add(new ConnectionStates());
    services.add(new ConnectionHealthRecord());
  },
  resolvers: (get) => [new ConnectionResolver(get(ConnectionService))],
  references(get) {
    const service = get(ConnectionService);
    return {
      Connection: {
        auth: readConnections,
        resolve: ({ connectionId = "" }, context) => service.find(context, connectionId),
      },
    };
  },
};
