// tables: api_clients

/**
 * Everybody who was told the secret of the client ($1) or installed one of its keys. A holder may be a client itself: its
 * own holders count as well.
 */
export const holdersOfClient = {
  name: "holders_of_client",
  text: `with recursive holders (principal) as (
      select holder from api_clients client cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder
        where client.client_id = $1
      union
      select holder from holders join api_clients client on client.client_id = holders.principal
        cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder)
    select principal from holders order by principal`,
};
