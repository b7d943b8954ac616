// tables: connections, providers

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/**
 * $2: capability. The Active connections whose provider has it and may be called: Healthy ones first, then the oldest.
 * Whether a provider describes the command is decided by its driver, which may come from a preset.
 */
export const candidateConnections = tenantStatement(
  "vendor_command_candidates",
  `select connection_id from connections join providers using (tenant_id, provider_id)
   where connections.tenant_id = scope.tenant and connections.status = 'Active'
     and providers.status in ('Registered', 'Deprecated') and $2 = any (capabilities)
   order by health <> 'Healthy', established_at, connection_id limit 20`,
);
