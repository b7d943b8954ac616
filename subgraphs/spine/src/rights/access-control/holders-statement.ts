import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: api_clients

/** Those who hold the secret of the client `hands.principal`, in a statement that walks from hand to hand. */
export const holdersOfHands = `select unnest(string_to_array(secret_held_by, ' ')) from api_clients
  where tenant_id = $1 and client_id = hands.principal`;

/** `union` drops rows that were found before, so that a holder cycle ends. */
const holders = {
  name: "principals_behind",
  text: `with recursive hands (principal) as (
      select $2::text
      union
      select behind.principal from hands cross join lateral (${holdersOfHands}) as behind (principal))
    select principal from hands order by principal`,
};

/**
 * The principal, and everybody who can act as it now: if it is a client, its secret's holders, themselves or through
 * other clients. They are stored with the client's acts, because its secret may come into other hands.
 */
export async function principalsBehind({ execute, tenant }: Transaction, principalId: string): Promise<string[]> {
  const rows = await execute<{ principal: string }>(holders, [tenant.uuid, principalId]);
  return rows.map(({ principal }) => principal);
}
