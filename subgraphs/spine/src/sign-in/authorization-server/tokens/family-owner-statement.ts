// tables: api_clients, users

/** The tenant of a client, by its `cli_…`. */
export const tenantOfClient = (clientId: string) => ({
  text: "select tenant_id from api_clients where client_id = $1",
  values: [clientId],
});

/** The tenant of a user, by the UUID in its `usr_…`. */
export const tenantOfUser = (userUuid: string) => ({
  text: "select tenant_id from users where user_id = $1",
  values: [userUuid],
});
