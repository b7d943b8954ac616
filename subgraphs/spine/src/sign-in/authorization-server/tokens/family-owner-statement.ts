// tables: api_clients, users

/** A client's tenant, by its `cli_…`. */
export const tenantOfClient = (clientId: string) => ({
  text: "select tenant_id from api_clients where client_id = $1",
  values: [clientId],
});

/** A user's tenant, by the UUID in its `usr_…`. */
export const tenantOfUser = (userUuid: string) => ({
  text: "select tenant_id from users where user_id = $1",
  values: [userUuid],
});
