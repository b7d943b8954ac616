// tables: connections, providers

/**
 * $1: tenant, $2: connection. Holds the provider of the connection until the transaction ends, so that its hosts stay.
 * Take it before the lock of the connection, as a change of the provider does.
 */
export const holdHosts = {
  name: "connection_hold_hosts",
  text: `select from providers where tenant_id = $1
      and provider_id = (select provider_id from connections where tenant_id = $1 and connection_id = $2)
    for share`,
};

/**
 * $1: tenant, $2: provider, $3: credential, $4: principal. Whether the principal has chosen a host of the provider, and no
 * connection sends the credential there yet.
 */
export const choseHost = {
  name: "connection_chose_host",
  text: `select exists (
        select from providers where tenant_id = $1 and provider_id = $2 and $4 = any (hosts_chosen_by)
      ) and not exists (
        select from connections
        where tenant_id = $1 and provider_id = $2 and credential_id = $3 and status <> 'Deleted'
      ) as chose`,
};
