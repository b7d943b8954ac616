// tables: providers, credentials

import type { AuthModel, ProviderState } from "../providers/provider.states.js";

/** What a new connection refers to. */
export interface ConnectionPartsRow {
  provider_status: ProviderState | null;
  auth_model: AuthModel | null;
  credential_id: string | null;
  webhook_credential_id: string | null;
}

/**
 * $1: tenant, $2: provider, $3 and $4: names of credentials or null. The lock lasts until the transaction ends, so that
 * the provider is not disabled or retired meanwhile.
 */
export const connectionParts = {
  name: "connection_parts",
  text: `with provider as materialized (
      select status, auth_model from providers where tenant_id = $1 and provider_id = $2 for share
    )
    select (select status from provider) as provider_status, (select auth_model from provider) as auth_model,
      (select credential_id from credentials where tenant_id = $1 and name = $3) as credential_id,
      (select credential_id from credentials where tenant_id = $1 and name = $4) as webhook_credential_id`,
};
