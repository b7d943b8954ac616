// tables: api_clients, tenants
import type { PrincipalType } from "@factory/runtime/auth/principal";
import type { IdentityScope } from "@factory/schema/scopes";
import { versionOf } from "../../../ground/revocations/subject-version.js";
import type { GrantType } from "../../../oauth-clients/grant-types.js";
import type { PublicKeySet } from "../../../oauth-clients/public-keys.js";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";

/** A row of `api_clients` with its tenant, as PostgreSQL gives it. */
export interface RegisteredClientRow {
  client_id: string;
  name: string;
  secret_digest: string;
  scopes: string[];
  identity_scopes: IdentityScope[];
  grant_types: GrantType[];
  principal_type: PrincipalType;
  platform_admin: boolean;
  redirect_uris: string[];
  first_party: boolean;
  is_public: boolean;
  jwks: PublicKeySet | null;
  client_version: number;
  rights_version: number;
  tenant_version: number;
  tenant_id: string;
  slug: string;
  status: TenantState;
  edition_code: string;
}

/** The one statement of every request to the token endpoint: facts about a client and the versions of these facts. */
export const activeClient = {
  name: "active_client",
  text: `select client_id, client.name, secret_digest, scopes, identity_scopes, grant_types, principal_type, platform_admin,
     redirect_uris, first_party, is_public, jwks, tenant.tenant_id, slug, tenant.status, edition_code,
     ${versionOf("Client", "client.tenant_id", "client_id")} as client_version,
     ${versionOf("Principal", "client.tenant_id", "client_id")} as rights_version,
     ${versionOf("Tenant", "client.tenant_id")} as tenant_version
   from api_clients client join tenants tenant on tenant.tenant_id = client.tenant_id
   where client_id = $1 and client.status = 'Active'`,
};
