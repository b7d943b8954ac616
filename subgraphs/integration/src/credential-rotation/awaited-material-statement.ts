// tables: credential_versions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: credential, $3: version. One row for a version that waits for its secret. */
export const waitingVersion = tenantStatement(
  "credential_version_is_waiting",
  `select from credential_versions
   where tenant_id = scope.tenant and credential_id = $2 and version = $3 and stage = 'AwaitingMaterial'`,
);
