// tables: connections, providers, credentials, credential_versions, vendor_rates

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

export interface TargetStateRow {
  readonly connection_id: string;
  /** The connection's members, and the transactions that wrote the other rows last. Any change makes another text. */
  readonly state: string;
  /** The milliseconds for which the vendor has asked to pause; null without a pause. */
  readonly pause_ms: number | null;
}

const states = `select connection.connection_id,
       jsonb_build_array(connection.project_id, connection.provider_id, connection.auth_mode, connection.status,
         connection.credential_id, connection.configuration, provider.xmin::text, credential.xmin::text,
         version.xmin::text)::text as state,
       extract(epoch from rate.paused_until - now())::float8 * 1000 as pause_ms
     from connections connection
       left join providers provider on provider.tenant_id = connection.tenant_id
         and provider.provider_id = connection.provider_id
       left join credentials credential on credential.tenant_id = connection.tenant_id
         and credential.credential_id = connection.credential_id
       left join credential_versions version on version.tenant_id = credential.tenant_id
         and version.credential_id = credential.credential_id and version.version = credential.current_version
       left join vendor_rates rate on rate.tenant_id = connection.tenant_id
         and rate.connection_id = connection.connection_id and rate.paused_until > now()
     where connection.status <> 'Deleted'`;

/**
 * The state behind all that a call through the connection reads. The connection's own row changes every few seconds
 * while it is used, so its members are compared. No row: the connection does not exist, or is deleted.
 */
export const targetState = tenantStatement(
  "model_target_state",
  `${states} and connection.tenant_id = scope.tenant and connection.connection_id = $2`,
);

/** As `targetState`, for several connections and inside a transaction for their tenant. */
export const targetStates = {
  name: "model_target_states",
  text: `${states} and connection.tenant_id = $1 and connection.connection_id = any($2::uuid[])`,
};
