import { newAccountDays } from "../../people/user-origins/new-account.js";
import { holdersOfHands } from "../../rights/access-control/holders-statement.js";

// tables: api_clients, role_assignments, roles, tenants, user_origins

/** A principal that can act for one of the two sides. */
export interface HolderRow {
  side: "decider" | "subject";
  principal: string;
  /** For the tenant's clients; null for its users, and for principals from other tenants. */
  principal_type: "Service" | "Agent" | null;
  platform_admin: boolean | null;
}

/** Everybody who invited the user `hands.principal`, while the user is new and nobody else has confirmed it. */
const inviters = `select unnest(invited_by) from user_origins
  where tenant_id = $1 and user_origins.principal = hands.principal and confirmed_at is null
    and joined_at > now() - interval '${newAccountDays} days'`;

/** Whether the tenant is so young that all its users are new. */
const isYoung = `exists (select from tenants where tenant_id = $1 and created_at > now() - interval '${newAccountDays} days')`;

/** `union` drops rows that were found before, so that a cycle ends. */
const withThoseBehind = (columns: string, behind: string) => `union
    select ${columns} from hands cross join lateral (${behind}) as behind (principal)`;

/**
 * The principals that can act as the decider ($2) or as the subject ($3): both, the holders of client secrets, and
 * those who invited new users. $4: inviters count in a young tenant, too.
 */
export const bothSides = `with recursive hands (side, principal) as (
    select * from (values ('decider', $2::text), ('subject', $3::text)) as ends (side, principal)
    ${withThoseBehind("hands.side, behind.principal", `${holdersOfHands} union all ${inviters} and ($4 or not ${isYoung})`)})
  select hands.side, hands.principal, client.principal_type, client.platform_admin from hands
    left join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal`;

/**
 * Whether one of the principals ($3) may rotate the client's secret ($2), or change its keys or redirect URIs. That
 * takes `client.manage` and every scope that the client has. Services hold scopes themselves, users by their roles,
 * agents never.
 */
export const changers = `with recursive decider as (
    select array_append(scopes, 'client.manage') as needed from api_clients where tenant_id = $1 and client_id = $2),
  hands (principal) as (
    select client_id from api_clients changer, decider
      where changer.tenant_id = $1 and changer.status = 'Active' and changer.principal_type = 'Service'
        and 'client_credentials' = any(changer.grant_types) and changer.scopes @> decider.needed
    ${withThoseBehind("behind.principal", holdersOfHands)}),
  people as (
    select array_agg(scope) as scopes from role_assignments assignment
      join roles role on role.tenant_id = $1 and role.role_id = assignment.role_id
      cross join unnest(role.scopes) as scope
      where assignment.tenant_id = $1 and principal_id = any($3) and (expires_at is null or expires_at > now())
      group by principal_id)
  select exists (select from hands where principal = any($3))
    or exists (select from people, decider where people.scopes @> decider.needed) as found`;
