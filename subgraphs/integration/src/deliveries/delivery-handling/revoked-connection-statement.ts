// tables: connections

/** A provider's Active connections that a delivery is about: its own, and the others with the same account. */
export const connectionsOfAccount = {
  name: "connections_of_account",
  text: `select connection_id from connections
    where tenant_id = $1 and provider_id = $2 and status = 'Active'
      and (connection_id = $3 or external_account_id = (
        select account.external_account_id from connections account
        where account.tenant_id = $1 and account.connection_id = $3))
    order by connection_id limit 1000`,
};
