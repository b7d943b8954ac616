import { namedStatement } from "@factory/runtime/db/named-parameters";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { uuidV7 } from "@factory/runtime/identifiers/uuid-v7";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";
import { switchedOff } from "../preferences/switched-off.js";

// tables: notifications, role_assignments, roles, tenants, users

const activeAfter = {
  name: "broadcast_active_users",
  text: `select user_id from users where tenant_id = $1 and status = 'Active' and user_id > $2
    order by user_id limit $3`,
};

/** The wire form of ids has the same order as the ids. */
const holdersAfter = namedStatement(
  "broadcast_role_holders",
  `select principal_id from role_assignments
    where tenant_id = $tenant and principal_id > $after
      and role_id = (select role_id from roles where tenant_id = $tenant and lower(code) = lower($roleCode))
      and (expires_at is null or expires_at > now())
    order by principal_id limit $count`,
);

// A user's deletion waits until the transaction ends, so it finds and erases the notification. The lateral form looks
// every user up by its key: a join may compare each user with each id while the table has no statistics yet.
const insertForUsers = namedStatement(
  "broadcast_insert",
  `with recipients as materialized (
      select wanted.user_id, notification_id
      from unnest($users::uuid[], $ids::uuid[]) as wanted (user_id, notification_id)
        cross join lateral (select from users
          where tenant_id = $tenant and users.user_id = wanted.user_id and status = 'Active' for key share) as active),
    made as (
      insert into notifications (tenant_id, notification_id, message_id, channel, recipient_user_id, status, created_at,
        sent_at)
      select $tenant::uuid, notification_id, $message::uuid, 'InApp', user_id, 'Sent', $now::timestamptz, $now::timestamptz
      from recipients
      where not ${switchedOff({ tenant: "$tenant", user: "recipients.user_id", channel: "'InApp'", category: "$category::text" })}
      returning recipient_user_id)
    select count(*)::int as made from made`,
);

/** The role `$2`, ignoring case. */
export const roleOfCode = {
  name: "broadcast_role",
  text: "select code from roles where tenant_id = $1 and lower(code) = lower($2)",
};

const stateOfTenant = {
  name: "broadcast_tenant_state",
  text: "select status from tenants where tenant_id = $1",
};

/** The state that the transaction's tenant has. */
export async function tenantStatus({ execute, tenant }: Transaction): Promise<TenantState | undefined> {
  const [row] = await execute<{ status: TenantState }>(stateOfTenant, [tenant.uuid]);
  return row?.status;
}

/** The id before all others. */
const first = encodeId("usr", nilUuid);

/** The next active users or role holders after a user, ordered by id. */
export async function recipientsAfter(
  { execute, tenant }: Transaction,
  roleCode: string | null,
  { after, count }: { readonly after: string | null; readonly count: number },
): Promise<string[]> {
  const position = after ?? first;
  if (roleCode !== null) {
    const values = holdersAfter.valuesOf({ tenant: tenant.uuid, after: position, count, roleCode });
    const holders = await execute<{ principal_id: string }>(holdersAfter, values);
    return holders.map((row) => row.principal_id);
  }
  const users = await execute<{ user_id: string }>(activeAfter, [tenant.uuid, decodeId("usr", position), count]);
  return users.map((row) => encodeId("usr", row.user_id));
}

interface BroadcastContent {
  readonly messageId: string;
  readonly category: string;
}

/** Inserts the in-app notifications for those users who are active and want them. Returns how many there are. */
export async function insertBroadcast(
  { execute, tenant }: Transaction,
  { messageId, category }: BroadcastContent,
  userIds: readonly string[],
): Promise<number> {
  const users = userIds.map((userId) => decodeId("usr", userId));
  const ids = users.map(() => uuidV7());
  const message = decodeId("ntm", messageId);
  const values = insertForUsers.valuesOf({ tenant: tenant.uuid, message, now: new Date(), users, category, ids });
  const [row] = await execute<{ made: number }>(insertForUsers, values);
  return row?.made ?? 0;
}
