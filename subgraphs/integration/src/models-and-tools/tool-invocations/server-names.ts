import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { serverParts } from "./qualified-name.js";
import { type ToolConnectionRow, toolConnections } from "./tool-connections-statement.js";

/** The server's part in tool names, for each of the tenant's connections that serves tools, oldest first. */
export async function namesOfServers(reader: TenantReader, tenant: Tenant): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.rows<ToolConnectionRow>(toolConnections, tenant);
  return serverParts(
    rows.map((row) => ({ connectionId: encodeId("con", row.connection_id), displayName: row.display_name })),
  );
}
