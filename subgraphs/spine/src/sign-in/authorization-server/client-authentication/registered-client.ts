import type { PrincipalType } from "@factory/runtime/auth/principal";
import type { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { IdentityScope } from "@factory/schema/scopes";
import type { Client } from "oidc-provider";
import type { GrantType } from "../../../oauth-clients/grant-types.js";
import type { PublicKeySet } from "../../../oauth-clients/public-keys.js";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";
import { activeClient, type RegisteredClientRow } from "./registered-client-statement.js";

/** The versions under which a client was read. */
export interface ClientVersions {
  /** Raised when the client is disabled, or when others come to hold its secret or keys. Grants of an earlier one end. */
  readonly client: number;
  /** Raised when the client loses a role. */
  readonly rights: number;
  /** Raised when the tenant is closed or opened. */
  readonly tenant: number;
}

/** The versions of a client that was never stored. */
export const firstVersions: ClientVersions = { client: 0, rights: 0, tenant: 0 };

/** A client and its tenant as the token endpoint needs them. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly name: string;
  readonly secretDigest: string;
  /** The scopes of the API. */
  readonly scopes: readonly string[];
  /** A request that names no scope asks for these, too. Every client may ask for every identity scope. */
  readonly identityScopes: readonly IdentityScope[];
  readonly grantTypes: readonly GrantType[];
  readonly principalType: PrincipalType;
  readonly platformAdmin: boolean;
  readonly redirectUris: readonly string[];
  readonly firstParty: boolean;
  readonly isPublic: boolean;
  /** The public keys of a client that has keys in place of a secret. */
  readonly jwks: PublicKeySet | null;
  readonly versions: ClientVersions;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantStatus: TenantState;
  readonly editionCode: string;
}

/** The active client with this id, in any tenant. `reads` connects as the worker role, since the tenant is not known yet. */
export async function findRegisteredClient(
  reads: Pick<ReadPipeline, "query">,
  clientId: string,
): Promise<RegisteredClient | undefined> {
  // PostgreSQL cannot store NUL in text
  if (clientId.includes("\0")) return undefined;
  const [row] = await reads.query<RegisteredClientRow>({ ...activeClient, values: [clientId] });
  return (
    row && {
      clientId: row.client_id,
      name: row.name,
      secretDigest: row.secret_digest,
      scopes: row.scopes,
      identityScopes: row.identity_scopes,
      grantTypes: row.grant_types,
      principalType: row.principal_type,
      platformAdmin: row.platform_admin,
      redirectUris: row.redirect_uris,
      firstParty: row.first_party,
      isPublic: row.is_public,
      jwks: row.jwks,
      versions: { client: row.client_version, rights: row.rights_version, tenant: row.tenant_version },
      tenantId: encodeId("ten", row.tenant_id),
      tenantSlug: row.slug,
      tenantStatus: row.status,
      editionCode: row.edition_code,
    }
  );
}

/** The registered client behind a client of oidc-provider. */
export function registeredClientOf(client: Client | undefined): RegisteredClient {
  const registered = client?.["registered"];
  if (registered === undefined) throw new Error("The token does not belong to a client");
  return registered as RegisteredClient;
}
