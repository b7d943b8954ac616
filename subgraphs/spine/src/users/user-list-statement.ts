import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { userColumns } from "./user.view.js";

// tables: users, roles, role_assignments

/**
 * User ids are UUIDv7, and their wire form sorts like they do: the order of ids is the order of registration, in `users`
 * and in `role_assignments` alike. So each list below is read from an index in its order, and none is sorted.
 */

// each ends with an order or a limit: a plain join would be planned together with what sets the tenant, maybe before it

/** How many matches are few: found whole and sorted, instead of met on a walk through everybody. */
const fewMatches = 500;

const heldCodes = `select coalesce(array_agg(code order by code), '{}') as role_codes from roles
  where tenant_id = scope.tenant and role_id in (
    select role_id from role_assignments
    where tenant_id = scope.tenant and principal_id = asked.principal_id
      and (expires_at is null or expires_at > now()))`;

/** `$2` ids, `$3` the same ids as principals are called. */
export const usersOfIds = tenantStatement(
  "users_of_ids",
  `select ${userColumns}, role_codes
   from unnest($2::uuid[], $3::text[]) asked(user_id, principal_id)
   join users on users.tenant_id = scope.tenant and users.user_id = asked.user_id
   cross join lateral (${heldCodes}) held
   order by users.user_id`,
);

/** Of one user: as a look-up by key it shares a connection. */
export const userOfId: TenantStatement = { ...usersOfIds, name: "user_of_id" };

const notDeleted = "status <> 'Deleted'";
/** Deleted users are in an index of their own state only. */
const inState = (status: string | null) =>
  status === null ? notDeleted : status === "Deleted" ? "status = 'Deleted'" : `${notDeleted} and status = '${status}'`;

// ranges instead of LIKE: a prepared statement knows their index whatever the text is
const emailBegins = "email_key ~>=~ $2 and email_key ~<~ $3";
const nameBegins = "name_key ~>=~ lower($2) and name_key ~<~ lower($3)";

interface Way {
  readonly order: "asc" | "desc";
  /** Compares what comes later with what came before it. */
  readonly beyond: ">" | "<";
}

const wayOf = (descending: boolean): Way =>
  descending ? { order: "desc", beyond: "<" } : { order: "asc", beyond: ">" };

type StatementOf = (status: string | null, descending?: boolean) => TenantStatement;

/** Statements differ by the state they ask for, which is one of a closed list, and some by their order. */
function perState(name: string, select: (state: string, way: Way) => string): StatementOf {
  const made = new Map<string, TenantStatement>();
  return (status, descending = false) => {
    const way = wayOf(descending);
    const key = `${name}_${status ?? "any"}_${way.order}`;
    const known = made.get(key);
    if (known) return known;
    const statement = tenantStatement(key, select(inState(status), way));
    made.set(key, statement);
    return statement;
  };
}

/** `$2` the address. */
export const idOfEmail = perState(
  "user_id_of_email",
  (state) =>
    `select user_id from users where tenant_id = scope.tenant and email_key = $2 and ${notDeleted} and ${state} limit 2`,
);

/** Null where more than few match. Their order is that of the index, so that it is used. */
const fewOf = (column: string, begins: string, state: string) => `
  (select case when count(*) <= ${fewMatches} then coalesce(array_agg(user_id), '{}') end
   from (select user_id from users where tenant_id = scope.tenant and ${begins} and ${state}
         order by ${column} using ~<~ limit ${fewMatches + 1}) matching)`;

/** Who begins with `$2` to `$3`, by address and by name; in no order. */
export const idsOfPrefix = perState(
  "user_ids_of_prefix",
  (state) =>
    `select ${fewOf("email_key", emailBegins, state)} as by_email, ${fewOf("name_key", nameBegins, state)} as by_name
     where scope.tenant is not null limit 1`,
);

const rareState = 5000;

/** Whether so many are in that state that those who hold a role may be fewer. */
export const commonState = perState(
  "user_state_is_common",
  (state) => `select count(*) > ${rareState} as common
     from (select from users where tenant_id = scope.tenant and ${state} limit ${rareState + 1}) counted`,
);

/** After `$2`, `$3` of them. */
export const idsInOrder = perState(
  "user_ids_in_order",
  (state, { order, beyond }) => `select user_id from users
     where tenant_id = scope.tenant and ${state} and user_id ${beyond} $2
     order by user_id ${order} limit $3`,
);

/** After `$4`, `$5` of those who begin with `$2` to `$3`. */
export const idsOfPrefixInOrder = perState(
  "user_ids_of_prefix_in_order",
  (state, { order, beyond }) => `select user_id from users
     where tenant_id = scope.tenant and ${state} and user_id ${beyond} $4 and ((${emailBegins}) or (${nameBegins}))
     order by user_id ${order} limit $5`,
);

/** Which of `$2` are in the state and begin with `$3` to `$4`, where those are given. */
export const idsAmong = perState(
  "user_ids_among",
  (state, { order }) => `select user_id from users
     where tenant_id = scope.tenant and user_id = any($2::uuid[]) and ${state}
       and ($3::text is null or (email_key ~>=~ $3 and email_key ~<~ $4)
         or (name_key ~>=~ lower($3) and name_key ~<~ lower($4)))
     order by user_id ${order}`,
);

const roleOfCode = "(select role_id from roles where tenant_id = scope.tenant and lower(code) = lower($2))";

const holdersBeyond = ({ order, beyond }: Way) =>
  tenantStatement(
    `role_holders_${order}`,
    `select principal_id from role_assignments
     where tenant_id = scope.tenant and role_id = ${roleOfCode} and principal_id ${beyond} $3 and principal_id > 'usr_'
       and (expires_at is null or expires_at > now())
     order by principal_id ${order} limit $4`,
  );
const holders = { asc: holdersBeyond(wayOf(false)), desc: holdersBeyond(wayOf(true)) };

/** After the principal `$3`, `$4` of the users who hold the role of the code `$2`. */
export const holdersInOrder = (descending: boolean) => holders[wayOf(descending).order];

/** Which of the principals `$3` hold it. */
export const holdersAmong = tenantStatement(
  "role_holders_among",
  `select principal_id from role_assignments
   where tenant_id = scope.tenant and role_id = ${roleOfCode} and principal_id = any($3::text[])
     and (expires_at is null or expires_at > now())
   order by principal_id`,
);
