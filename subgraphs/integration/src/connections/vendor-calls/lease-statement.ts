// tables: connection_tokens, connections

import { tokenColumns } from "./token-statements.js";

/**
 * $1: tenant, $2: connection. Gives the row when no other process holds the lease. A deleted connection's row is not
 * made again.
 */
export const leaseTokens = {
  name: "connection_token_lease",
  text: `with connection as (
      select status from connections where tenant_id = $1 and connection_id = $2 for share)
    insert into connection_tokens as held (tenant_id, connection_id, version, leases, leased_until)
    select $1::uuid, $2::uuid, 0, 1, now() + interval '60 s'
    where not exists (select from connection where status = 'Deleted')
    on conflict (tenant_id, connection_id) do update
      set leases = held.leases + 1, leased_until = now() + interval '60 s'
      where held.leased_until is null or held.leased_until <= now()
    returning ${tokenColumns}`,
};
