import { keyStatement } from "@factory/runtime/db/key-statement";
import type { NamedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { userColumns } from "./user.view.js";

// tables: users, roles, role_assignments

/**
 * User ids are UUIDv7 and sort by registration time; their wire form sorts in the same way. So `users` and
 * `role_assignments` have the same order, and each list below is read from an index without sorting.
 */

// Every statement ends with an order or a limit. PostgreSQL could plan a plain join together with the query that sets the
// tenant, and run it before that.

/** Up to this many prefix matches are read at once and sorted; more are read in id order. */
const maxSortedMatches = 500;

const heldCodes = `select coalesce(array_agg(code order by code), '{}') as role_codes from roles
  where tenant_id = scope.tenant and role_id in (
    select role_id from role_assignments
    where tenant_id = scope.tenant and principal_id = asked.principal_id
      and (expires_at is null or expires_at > now()))`;

/** The users with the ids `$2`, with their roles' codes; `$3` has the same ids in wire form. */
export const usersOfIds = tenantStatement(
  "users_of_ids",
  `select ${userColumns}, role_codes
   from unnest($2::uuid[], $3::text[]) asked(user_id, principal_id)
   join users on users.tenant_id = scope.tenant and users.user_id = asked.user_id
   cross join lateral (${heldCodes}) held
   order by users.user_id`,
);

/** The user with the id `$2`, whose wire form is `$3`. */
export const userOfId = keyStatement(
  "user_of_id",
  `select ${userColumns}, role_codes from (select $3::text as principal_id) asked
   join users on users.tenant_id = scope.tenant and users.user_id = $2
   cross join lateral (${heldCodes}) held`,
  "uuid",
  "text",
);

const notDeleted = "status <> 'Deleted'";
/** Only the index on the state contains deleted users. */
const inState = (status: string | null) =>
  status === null ? notDeleted : status === "Deleted" ? "status = 'Deleted'" : `${notDeleted} and status = '${status}'`;

// Ranges in place of LIKE: a prepared statement uses their index for every text.
const emailBegins = "email_key ~>=~ $begin and email_key ~<~ $end";
const nameBegins = "name_key ~>=~ lower($begin) and name_key ~<~ lower($end)";

interface Direction {
  readonly order: "asc" | "desc";
  /** Compares an id with the id before it in this order. */
  readonly after: ">" | "<";
}

const directionOf = (descending: boolean): Direction =>
  descending ? { order: "desc", after: "<" } : { order: "asc", after: ">" };

type StatementOf = (status: string | null, descending?: boolean) => NamedStatement;

/** One statement for each state in the fixed list, and for each order. */
function perState(name: string, select: (state: string, direction: Direction) => string): StatementOf {
  const statements = new Map<string, NamedStatement>();
  return (status, descending = false) => {
    const direction = directionOf(descending);
    const key = `${name}_${status ?? "any"}_${direction.order}`;
    const knownStatement = statements.get(key);
    if (knownStatement) return knownStatement;
    const statement = tenantStatement(key, select(inState(status), direction));
    statements.set(key, statement);
    return statement;
  };
}

/** The id of the user with the address. */
export const idOfEmail = perState(
  "user_id_of_email",
  (state) =>
    `select user_id from users where tenant_id = scope.tenant and email_key = $email and ${notDeleted} and ${state} limit 2`,
);

/** Null when more than `maxSortedMatches` match. The order is the index order, so that PostgreSQL uses the index. */
const matchesOf = (column: string, begins: string, state: string) => `
  (select case when count(*) <= ${maxSortedMatches} then coalesce(array_agg(user_id), '{}') end
   from (select user_id from users where tenant_id = scope.tenant and ${begins} and ${state}
         order by ${column} using ~<~ limit ${maxSortedMatches + 1}) matching)`;

/** The ids of users whose address, and the ids of users whose name, is in the range `$begin` to `$end`, unsorted. */
export const idsOfPrefix = perState(
  "user_ids_of_prefix",
  (state) =>
    `select ${matchesOf("email_key", emailBegins, state)} as by_email, ${matchesOf("name_key", nameBegins, state)} as by_name
     where scope.tenant is not null limit 1`,
);

const maxRareUsers = 5000;

/** Whether more than `maxRareUsers` users are in the state, so that a role may have fewer holders. */
export const isStateCommon = perState(
  "user_state_is_common",
  (state) => `select count(*) > ${maxRareUsers} as common
     from (select from users where tenant_id = scope.tenant and ${state} limit ${maxRareUsers + 1}) counted`,
);

/** The next ids after the id `$after`. */
export const idsInOrder = perState(
  "user_ids_in_order",
  (state, { order, after }) => `select user_id from users
     where tenant_id = scope.tenant and ${state} and user_id ${after} $after
     order by user_id ${order} limit $count`,
);

/** The next ids after the id `$after`, for users whose address or name is in the range `$begin` to `$end`. */
export const idsOfPrefixInOrder = perState(
  "user_ids_of_prefix_in_order",
  (state, { order, after }) => `select user_id from users
     where tenant_id = scope.tenant and ${state} and user_id ${after} $after and ((${emailBegins}) or (${nameBegins}))
     order by user_id ${order} limit $count`,
);

/** The ids whose users are in the state and, unless `$begin` is null, have an address or a name in its range. */
export const idsAmong = perState(
  "user_ids_among",
  (state, { order }) => `select user_id from users
     where tenant_id = scope.tenant and user_id = any($ids::uuid[]) and ${state}
       and ($begin::text is null or (${emailBegins}) or (${nameBegins}))
     order by user_id ${order}`,
);

const roleOfCode = "(select role_id from roles where tenant_id = scope.tenant and lower(code) = lower($roleCode))";

const holdersAfter = ({ order, after }: Direction) =>
  tenantStatement(
    `role_holders_${order}`,
    `select principal_id from role_assignments
     where tenant_id = scope.tenant and role_id = ${roleOfCode} and principal_id ${after} $after and principal_id > 'usr_'
       and (expires_at is null or expires_at > now())
     order by principal_id ${order} limit $count`,
  );
const holders = { asc: holdersAfter(directionOf(false)), desc: holdersAfter(directionOf(true)) };

/** The next users after the principal `$after` who hold the role. */
export const holdersInOrder = (descending: boolean) => holders[directionOf(descending).order];

/** Those among the principals that hold the role. */
export const holdersAmong = tenantStatement(
  "role_holders_among",
  `select principal_id from role_assignments
   where tenant_id = scope.tenant and role_id = ${roleOfCode} and principal_id = any($principals::text[])
     and (expires_at is null or expires_at > now())
   order by principal_id`,
);
