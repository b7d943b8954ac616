// tables: api_clients, role_assignments, roles, users

/** A principal that can act for one of the two sides. */
export interface HolderRow {
  side: "decider" | "subject";
  principal: string;
  /** For clients of the tenant; null for its users, and for principals of other tenants. */
  principal_type: "Service" | "Agent" | null;
  platform_admin: boolean | null;
}

/** Adds the holders of the secrets of clients. `union` drops rows that were found before, so that a cycle of holders ends. */
const withHolders = (columns: string) => `union
    select ${columns} from hands
      join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal
      cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder`;

/** The principals that can act as the decider ($2) or as the subject ($3): both, and the holders of client secrets. */
export const bothSides = `with recursive hands (side, principal) as (
    select * from (values ('decider', $2::text), ('subject', $3::text)) as ends (side, principal)
    ${withHolders("hands.side, holder")})
  select hands.side, hands.principal, client.principal_type, client.platform_admin from hands
    left join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal`;

/**
 * Whether one of the principals ($3) may rotate the secret of the client ($2), or change its keys or redirect URIs. That
 * takes `client.manage` and every scope of the client. Services hold scopes themselves, users by their roles, agents never.
 */
export const changers = `with recursive decider as (
    select array_append(scopes, 'client.manage') as needed from api_clients where tenant_id = $1 and client_id = $2),
  hands (principal) as (
    select client_id from api_clients changer, decider
      where changer.tenant_id = $1 and changer.status = 'Active' and changer.principal_type = 'Service'
        and 'client_credentials' = any(changer.grant_types) and changer.scopes @> decider.needed
    ${withHolders("holder")}),
  people as (
    select array_agg(scope) as scopes from role_assignments assignment
      join roles role on role.tenant_id = $1 and role.role_id = assignment.role_id
      cross join unnest(role.scopes) as scope
      where assignment.tenant_id = $1 and principal_id = any($3) and (expires_at is null or expires_at > now())
      group by principal_id)
  select exists (select from hands where principal = any($3))
    or exists (select from people, decider where people.scopes @> decider.needed) as found`;

/** Which of these users ($2, UUIDs) belong to the tenant ($1). */
export const usersOfTenant = "select user_id from users where tenant_id = $1 and user_id = any($2)";
