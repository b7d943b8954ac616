import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: api_clients

/** `union` drops rows that were found before, so that a cycle of holders ends. */
const holders = {
  name: "principals_behind",
  text: `with recursive hands (principal) as (
      select $2::text
      union
      select holder from hands
        join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal
        cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder)
    select principal from hands order by principal`,
};

/**
 * The principal, and everybody who can act as it now: the holders of its secret, if it is a client, themselves or
 * through other clients. They are stored with the client's acts, because its secret may come into other hands.
 */
export async function principalsBehind({ execute, tenant }: Transaction, principalId: string): Promise<string[]> {
  const rows = await execute<{ principal: string }>(holders, [tenant.uuid, principalId]);
  return rows.map(({ principal }) => principal);
}
