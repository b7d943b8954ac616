import type { Principal } from "@factory/runtime/auth/principal";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { holdersOfHands } from "./holders-statement.js";
import { userStatuses } from "./user-status-statement.js";

// tables: api_clients

interface HandRow {
  principal: string;
  is_client: boolean;
  /** The platform made the client, and nothing tells who holds its secret now. */
  is_platform_made: boolean;
}

/** The caller's clients, and all principals that hold their secrets. `union` ends a holder cycle. */
const hands = {
  name: "hands_of_caller",
  text: `with recursive hands (principal) as (
      select * from unnest($2::text[])
      union
      select behind.principal from hands cross join lateral (${holdersOfHands}) as behind (principal))
    select hands.principal, client.client_id is not null as is_client,
      coalesce(client.created_by_platform and client.secret_held_by is null, false) as is_platform_made
    from hands left join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal`,
};

/**
 * Whether the caller is a client whose secret a platform principal holds, itself or through other clients. Once a
 * person in the tenant has rotated the secret, the platform does not hold the client any more. A person is never held.
 */
export async function isHeldByPlatform(
  transaction: Transaction,
  caller: Pick<Principal, "principalType" | "subject" | "clientId" | "actors">,
): Promise<boolean> {
  const { execute, tenant } = transaction;
  const { principalType, subject, clientId, actors = [] } = caller;
  if (tenant.tenantId === platformTenantId || (principalType === "User" && actors.length === 0)) return false;
  const callerPrincipals = [...new Set([subject, clientId, ...actors])];
  const rows = await execute<HandRow>(hands, [tenant.uuid, callerPrincipals]);
  if (rows.some((row) => row.is_platform_made)) return true;
  const others = rows
    .filter((row) => !row.is_client && !callerPrincipals.includes(row.principal))
    .map((row) => row.principal);
  return (await userStatuses(transaction, others)).size < others.length;
}
