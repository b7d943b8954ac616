// tables: connections, providers

import { namedStatement } from "@factory/runtime/db/named-parameters";

/**
 * $1: tenant, $2: the two forms of a reference. Holds the hosts at providers whose connections name a credential. Take
 * it before the connections' lock, as a change to the provider does.
 */
export const holdProvidersNaming = {
  name: "connection_hold_providers_naming",
  text: `select from providers where tenant_id = $1 and provider_id in (
      select provider_id from connections
      where tenant_id = $1 and credential_ref = any ($2::text[]) and credential_id is null and status <> 'Deleted')
    order by provider_id for share`,
};

/**
 * `$forms` are the two forms of a reference; `$hasHosts` tells whether the credential names its hosts. A credential
 * without hosts does not go to a provider whose hosts were chosen by somebody who may not write credentials.
 */
export const useCredential = namedStatement(
  "connection_use_credential",
  `update connections connection set credential_id = $credential, consecutive_rejections = 0, version = version + 1
    where tenant_id = $tenant and credential_ref = any ($forms::text[]) and credential_id is null and status <> 'Deleted'
      and ($hasHosts or exists (select from providers provider where provider.tenant_id = $tenant
        and provider.provider_id = connection.provider_id and provider.hosts_chosen_by = '{}'))
    returning connection_id, project_id, version, status`,
);

/** $1: tenant, $2: the two forms of a reference, $3: credential that can verify deliveries. */
export const useWebhookCredential = {
  name: "connection_use_webhook_credential",
  text: `update connections set webhook_credential_id = $3, version = version + 1
    where tenant_id = $1 and webhook_secret_ref = any ($2::text[]) and webhook_credential_id is null
      and status <> 'Deleted' returning connection_id`,
};

/** $1: tenant, $2: connections. Lets the next check by schedule come at once. */
export const checkSoon = {
  name: "connection_check_soon",
  text: `update connections set next_probe_at = now()
    where tenant_id = $1 and connection_id = any ($2::uuid[]) and status = 'Active'`,
};
