import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { ConnectionAuthorization } from "./connection-authorization.entity.js";

const members = [
  "tenantId",
  "authorizationId",
  "connectionId",
  "ticketHash",
  "browserHash",
  "sealedVerifier",
  "requestedBy",
] as const satisfies (keyof ConnectionAuthorization)[];

/** An authorization that a link or a state names. */
export type AuthorizationRow = RowOf<ConnectionAuthorization, (typeof members)[number]>;

const columns = columnsOf(ConnectionAuthorization, members);

/** $1: the ticket's digest, $2: now. A link can be followed until a browser has left for the vendor. */
export const byTicket = {
  name: "authorization_by_ticket",
  text: `select ${columns} from connection_authorizations
    where ticket_hash = $1 and state_hash is null and expires_at > $2`,
};

/** $1: the state's digest, $2: now. */
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

export const insertLink = namedStatement(
  "authorization_insert",
  `insert into connection_authorizations
      (tenant_id, authorization_id, connection_id, ticket_hash, requested_by, expires_at)
    values ($tenant, $authorization, $connection, $ticketHash, $requestedBy, $expiresAt)`,
);

/** A ticket is used once: only one of several requests at a time gets a row back. */
export const beginAuthorization = namedStatement(
  "authorization_begin",
  `update connection_authorizations
    set state_hash = $stateHash, browser_hash = $browserHash, sealed_verifier = $sealedVerifier, expires_at = $expiresAt
    where tenant_id = $tenant and authorization_id = $authorization and state_hash is null and expires_at > $now
    returning true`,
);

/** A state is used once. $3: now. */
export const consumeState = {
  name: "authorization_consume",
  text: `update connection_authorizations set used_at = $3, sealed_verifier = null
    where tenant_id = $1 and authorization_id = $2 and used_at is null and expires_at > $3 returning true`,
};
