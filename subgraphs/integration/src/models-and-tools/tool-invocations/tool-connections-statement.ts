// tables: connections, providers

import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { ConnectionRow } from "../../connections/connections/connection.view.js";

export type ToolConnectionRow = Pick<ConnectionRow, "connection_id" | "display_name">;

/** The capability that marks a provider whose server lists tools. */
const listCapability = "tools.list";

/** A tenant's connections beyond this number, by age, get no tool names. */
const maxConnections = 1_000;

/** The tenant's connections that serve tools, oldest first. */
export const toolConnections = tenantStatement(
  "tool_connections",
  `select connection.connection_id, connection.display_name from connections connection
     join providers provider on provider.tenant_id = connection.tenant_id and provider.provider_id = connection.provider_id
   where connection.tenant_id = scope.tenant and connection.status in ('Active', 'AuthorizationRequired')
     and provider.status in ('Registered', 'Deprecated') and '${listCapability}' = any(provider.capabilities)
   order by connection.connection_id limit ${maxConnections}`,
);

/** Keeps the connection from being deleted until the transaction ends. No row: it is deleted already. */
export const keepConnection = {
  name: "tool_connection_keep",
  text: `select 1 from connections where tenant_id = $1 and connection_id = $2 and status <> 'Deleted' for share`,
};
