/** An authorization that a link or a state names. */
export interface AuthorizationRow {
  tenant_id: string;
  authorization_id: string;
  connection_id: string;
  ticket_hash: string;
  browser_hash: string | null;
  sealed_verifier: string | null;
  requested_by: string;
}

const columns = "tenant_id, authorization_id, connection_id, ticket_hash, browser_hash, sealed_verifier, requested_by";

/** $1: digest of the ticket, $2: now. A link can be followed until a browser has left for the vendor. */
export const byTicket = {
  name: "authorization_by_ticket",
  text: `select ${columns} from connection_authorizations
    where ticket_hash = $1 and state_hash is null and expires_at > $2`,
};

/** $1: digest of the state, $2: now. */
export const byState = {
  name: "authorization_by_state",
  text: `select ${columns} from connection_authorizations
    where state_hash = $1 and used_at is null and expires_at > $2`,
};

/** A connection has one link at a time. $1: tenant, $2: connection. */
export const forgetLinks = {
  name: "authorization_forget",
  text: "delete from connection_authorizations where tenant_id = $1 and connection_id = $2",
};

export const insertLink = {
  name: "authorization_insert",
  text: `insert into connection_authorizations
      (tenant_id, authorization_id, connection_id, ticket_hash, requested_by, expires_at)
    values ($1, $2, $3, $4, $5, $6)`,
};

/** A ticket is used once: only one of several requests at a time gets a row back. $7: now. */
export const beginAuthorization = {
  name: "authorization_begin",
  text: `update connection_authorizations
    set state_hash = $3, browser_hash = $4, sealed_verifier = $5, expires_at = $6
    where tenant_id = $1 and authorization_id = $2 and state_hash is null and expires_at > $7 returning true`,
};

/** A state is used once. $3: now. */
export const consumeState = {
  name: "authorization_consume",
  text: `update connection_authorizations set used_at = $3, sealed_verifier = null
    where tenant_id = $1 and authorization_id = $2 and used_at is null and expires_at > $3 returning true`,
};
