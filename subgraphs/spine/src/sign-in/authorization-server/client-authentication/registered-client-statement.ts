// tables: api_clients, tenants
import { versionOf } from "../../../ground/revocations/subject-version.js";
import { type RegisteredFactsRow, registeredColumns } from "../../../oauth-clients/oauth-client.view.js";
import type { StoredTenant } from "../../../tenants/tenants/tenant.view.js";

/** A client with its tenant. */
export type RegisteredClientRow = RegisteredFactsRow &
  Pick<StoredTenant, "slug" | "edition_code"> & {
    tenant_status: StoredTenant["status"];
    client_version: number;
    rights_version: number;
    tenant_version: number;
  };

/** The one statement in every request to the token endpoint: facts about a client and these facts' versions. */
export const activeClient = {
  name: "active_client",
  text: `select ${registeredColumns}, slug, tenant.status as tenant_status, edition_code,
     ${versionOf("Client", "client.tenant_id", "client_id")} as client_version,
     ${versionOf("Principal", "client.tenant_id", "client_id")} as rights_version,
     ${versionOf("Tenant", "client.tenant_id")} as tenant_version
   from api_clients client join tenants tenant on tenant.tenant_id = client.tenant_id
   where client_id = $1 and client.status = 'Active'`,
};
