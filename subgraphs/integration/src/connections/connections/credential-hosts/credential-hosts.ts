import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { manageCredentials } from "../../../providers/providers/host-choice.js";
import type { ProviderOriginListener } from "../../../providers/providers/provider-move-listeners.js";
import { choseHost, holdHosts } from "./chosen-host-statement.js";

const countWithCredential = {
  name: "connections_of_provider_with_credential",
  text: `select count(*)::int as count from connections
    where tenant_id = $1 and provider_id = $2 and credential_id is not null and status <> 'Deleted'`,
};

/**
 * A caller that chooses the host that receives a secret can read the secret, so another host for a provider whose
 * connections have credentials needs the scope to write credentials.
 */
export const guardCredentials: ProviderOriginListener = async ({ execute, tenant }, { providerId, principal }) => {
  if (principal.scopes.has(manageCredentials)) return;
  const [countRow] = await execute<{ count: number }>(countWithCredential, [tenant.uuid, decodeId("prv", providerId)]);
  if (!countRow || countRow.count === 0) return;
  throw insufficientScope(
    `The provider has ${countRow.count} connections with credentials, which would be sent to another host. Use a token with the scope ${manageCredentials}, or register another provider.`,
  );
};

/** Keeps a connection's hosts while the caller changes it. Call it before the connection's lock. */
export async function holdHostsOf(
  { execute, tenant }: Transaction,
  { principal, connectionId }: { readonly principal: Principal; readonly connectionId: string },
): Promise<void> {
  if (principal.scopes.has(manageCredentials)) return;
  await execute(holdHosts, [tenant.uuid, decodeId("con", connectionId) ?? null]);
}

/** A credential that a connection is to send to its provider's hosts. */
interface WantedCredential {
  readonly principal: Principal;
  readonly providerId: string;
  readonly credentialId: string | null;
}

/**
 * Throws INSUFFICIENT_SCOPE when the caller has itself chosen one of the provider's hosts, may not write credentials,
 * and no connection sends the credential to that provider yet. Call it while the provider is held.
 */
export async function refuseChosenHost(
  { execute, tenant }: Transaction,
  { principal, providerId, credentialId }: WantedCredential,
): Promise<void> {
  if (credentialId === null || principal.scopes.has(manageCredentials)) return;
  const values = choseHost.valuesOf({
    ...{ tenant: tenant.uuid, provider: decodeId("prv", providerId), credential: decodeId("crd", credentialId) },
    principal: principal.subject,
  });
  const [choiceRow] = await execute<{ chose: boolean }>(choseHost, values);
  if (!choiceRow?.chose) return;
  throw insufficientScope(
    `You have chosen a host of the provider, and the credential would be sent there. Use a token with the scope ${manageCredentials}, or let another principal connect the provider.`,
  );
}

const insufficientScope = (detail: string) =>
  new DomainError("INSUFFICIENT_SCOPE", { detail, requiredScopes: [manageCredentials] });
