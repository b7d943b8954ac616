import type { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import type { Client } from "oidc-provider";
import { type RegisteredFacts, readClient } from "../../../oauth-clients/oauth-client.view.js";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";
import { activeClient, type RegisteredClientRow } from "./registered-client-statement.js";

/** The versions under which a client was read. */
interface ClientVersions {
  /**
   * Raised when the client is disabled, or when others come to hold its secret or keys. Grants with an earlier one end.
   */
  readonly client: number;
  /** Raised when the client loses a role. */
  readonly rights: number;
  /** Raised when the tenant is closed or opened. */
  readonly tenant: number;
}

/** The versions for a client that was never stored. */
export const firstVersions: ClientVersions = { client: 0, rights: 0, tenant: 0 };

/**
 * A client and its tenant as the token endpoint needs them. A request that names no scope asks for the identity scopes,
 * too. Every client may ask for every identity scope.
 */
export interface RegisteredClient extends RegisteredFacts {
  readonly versions: ClientVersions;
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
      ...readClient(row),
      versions: { client: row.client_version, rights: row.rights_version, tenant: row.tenant_version },
      ...{ tenantSlug: row.slug, tenantStatus: row.tenant_status, editionCode: row.edition_code },
    }
  );
}

/** The registered client behind an oidc-provider client. */
export function registeredClientOf(client: Client | undefined): RegisteredClient {
  const registeredClient = client?.["registered"];
  if (registeredClient === undefined) throw new Error("The token does not belong to a client");
  return registeredClient as RegisteredClient;
}
