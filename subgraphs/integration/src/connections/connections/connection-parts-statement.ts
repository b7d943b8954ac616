import type { AuthModel } from "@factory/schema/vocabularies/connections";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";
// tables: providers, credentials, runs

import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { ProviderState } from "../../providers/providers/provider.states.js";
import { runWaits } from "../../runs/run.states.js";

/** The credentials that a connection names. */
export interface CredentialPartsRow {
  credential_id: string | null;
  webhook_credential_id: string | null;
  webhook_kind: CredentialKind | null;
}

/** The provider and the credentials that a new connection names. */
export interface ConnectionPartsRow extends CredentialPartsRow {
  provider_status: ProviderState | null;
  auth_model: AuthModel | null;
  capabilities: string[] | null;
}

/**
 * `$credential` and `$webhookCredential` are credentials' names, or null. The lock lasts until the transaction ends, so
 * that the provider is not disabled or retired meanwhile. Take it before a connection's lock, as a change to the
 * provider does.
 */
export const connectionParts = namedStatement(
  "connection_parts",
  `with provider as materialized (
      select status, auth_model, capabilities from providers where tenant_id = $tenant and provider_id = $provider for share
    )
    select (select status from provider) as provider_status, (select auth_model from provider) as auth_model,
      (select capabilities from provider) as capabilities,
      (select credential_id from credentials where tenant_id = $tenant and name = $credential) as credential_id,
      (select credential_id from credentials where tenant_id = $tenant and name = $webhookCredential)
        as webhook_credential_id,
      (select kind from credentials where tenant_id = $tenant and name = $webhookCredential) as webhook_kind`,
);

/** $1: tenant, $2 and $3: credentials' names or null. */
export const credentialParts = {
  name: "connection_credential_parts",
  text: `select (select credential_id from credentials where tenant_id = $1 and name = $2) as credential_id,
      (select credential_id from credentials where tenant_id = $1 and name = $3) as webhook_credential_id,
      (select kind from credentials where tenant_id = $1 and name = $3) as webhook_kind`,
};

/**
 * $1: tenant, $2: connection. The connection's runs that wait for a job, the oldest first. A delivery's run is not
 * among them: it ends with its delivery.
 */
export const openRuns = {
  name: "connection_open_runs",
  text: `select run_id from runs where tenant_id = $1 and connection_id = $2
      and ${runWaits} order by run_id limit 200`,
};
