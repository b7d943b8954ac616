// tables: connections

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** How many connections verify a new version. */
const maxProbes = 3;
/** How many connections are verified again after a rotation. */
const maxRecoveries = 100;

/** The connections that use a credential ($2) and may be called, those that work first. */
export const connectionsOfCredential = tenantStatement(
  "connections_of_credential",
  `select connection_id from connections
   where tenant_id = scope.tenant and credential_id = $2 and status in ('Active', 'AuthorizationRequired')
   order by status, connection_id limit ${maxProbes}`,
);

/** The tenant's connections ($1) that have lost their authorization with a credential ($2), locked. */
export const lostConnections = {
  name: "connections_lost_with_credential",
  text: `select connection_id, project_id, version from connections
    where tenant_id = $1 and credential_id = $2 and status = 'AuthorizationRequired'
    order by connection_id limit ${maxRecoveries} for no key update`,
};
