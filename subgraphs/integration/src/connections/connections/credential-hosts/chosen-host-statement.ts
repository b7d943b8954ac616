// tables: connections, providers

import { namedStatement } from "@factory/runtime/db/named-parameters";

/**
 * $1: tenant, $2: connection. Holds the connection's provider until the transaction ends, so that its hosts stay. Take
 * it before the connection's lock, as a change to the provider does.
 */
export const holdHosts = {
  name: "connection_hold_hosts",
  text: `select from providers where tenant_id = $1
      and provider_id = (select provider_id from connections where tenant_id = $1 and connection_id = $2)
    for share`,
};

/** Whether the principal has chosen one of the provider's hosts, and no connection sends the credential there yet. */
export const choseHost = namedStatement(
  "connection_chose_host",
  `select exists (
        select from providers
        where tenant_id = $tenant and provider_id = $provider and $principal = any (hosts_chosen_by)
      ) and not exists (
        select from connections
        where tenant_id = $tenant and provider_id = $provider and credential_id = $credential and status <> 'Deleted'
      ) as chose`,
);
