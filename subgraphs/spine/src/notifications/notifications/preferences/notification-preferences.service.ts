import { columnsOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { activeUsers } from "../record/active-users-statement.js";
import { inboxOwner } from "../record/notification-access.js";
import { NotificationPreference } from "./notification-preference.entity.js";
import type { NotificationPreferenceInput, SetNotificationPreferencesInput } from "./notification-preferences.input.js";
import type { NotificationPreferencesType, NotificationPreferenceType } from "./notification-preferences.type.js";
import { lockedCategories } from "./switched-off.js";

const preferencesOf: TenantStatement = tenantStatement(
  "notification_preferences_of",
  `select ${columnsOf(NotificationPreference, ["channel", "category", "enabled"])} from notification_preferences
   where tenant_id = scope.tenant and user_id = $2 order by channel, category limit 1000`,
);

const removeAll = {
  name: "notification_preferences_remove",
  text: "delete from notification_preferences where tenant_id = $1 and user_id = $2",
};

const insertAll = namedStatement(
  "notification_preferences_insert",
  `insert into notification_preferences (tenant_id, user_id, channel, category, enabled, updated_at)
    select $tenant::uuid, $user::uuid, channel, category, enabled, now()
    from unnest($channels::text[], $categories::text[], $enabled::boolean[]) asked (channel, category, enabled)`,
);

/** People's preferences. A person reads and changes the own ones, a service those of a user. */
export class NotificationPreferencesService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(
    context: RequestContext,
    requestedUserId: string | null | undefined,
  ): Promise<NotificationPreferencesType> {
    const recipientUserId = inboxOwner(principalOf(context), requestedUserId);
    const { reader } = this.#database;
    const values = [decodeId("usr", recipientUserId)];
    const preferences = await reader.rows<NotificationPreferenceType>(preferencesOf, tenantOf(context), ...values);
    return preferencesView(recipientUserId, preferences);
  }

  /** Replaces all the user's preferences. */
  replace(context: RequestContext, input: SetNotificationPreferencesInput): Promise<NotificationPreferencesType> {
    const recipientUserId = inboxOwner(principalOf(context), input.recipientUserId);
    const preferences = checkedPreferences(input.preferences);
    return idempotentMutation(this.#database, context, {
      field: "setNotificationPreferences",
      arguments: { input: { recipientUserId, preferences } },
      audit: { subject: `users/${recipientUserId}` },
      commit: async (transaction) => {
        await requireActiveUser(transaction, recipientUserId);
        const { tenant, execute, defer } = transaction;
        const user = decodeId("usr", recipientUserId);
        await execute(removeAll, [tenant.uuid, user]);
        const rows = {
          ...{ tenant: tenant.uuid, user },
          channels: preferences.map(({ channel }) => channel),
          categories: preferences.map(({ category }) => category),
          enabled: preferences.map(({ enabled }) => enabled),
        };
        await defer(insertAll, insertAll.valuesOf(rows));
        return preferencesView(recipientUserId, preferences);
      },
    });
  }
}

async function requireActiveUser(transaction: Transaction, userId: string): Promise<void> {
  if ((await activeUsers(transaction, [userId])).size > 0) return;
  throw new DomainError("REFERENCE_NOT_FOUND", {
    detail: "The tenant has no active user with this id.",
    errors: [{ pointer: "/input/recipientUserId", code: "UNKNOWN_VALUE", detail: "Must be the id of an active user." }],
  });
}

const preferencesView = (
  recipientUserId: string,
  preferences: readonly NotificationPreferenceType[],
): NotificationPreferencesType => ({
  recipientUserId,
  preferences: [...preferences],
  lockedCategories: [...lockedCategories],
});

/** The preferences ordered by channel and category. Throws PARAMETERS_INVALID or VALIDATION_FAILED with pointers. */
function checkedPreferences(inputs: readonly NotificationPreferenceInput[]): NotificationPreferenceType[] {
  const pointerOf = (at: number) => `/input/preferences/${at}`;
  const seenKeys = new Set<string>();
  const errors = inputs.flatMap(({ channel, category, enabled }, at): FieldError[] => {
    const key = `${channel} ${category}`;
    const isRepeated = seenKeys.has(key);
    seenKeys.add(key);
    if (isRepeated)
      return [{ pointer: pointerOf(at), code: "DUPLICATE", detail: "The list has this channel and category twice." }];
    if (enabled || !lockedCategories.includes(category)) return [];
    return [
      { pointer: `${pointerOf(at)}/enabled`, code: "NOT_ALLOWED", detail: "This category cannot be switched off." },
    ];
  });
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The preferences cannot be stored as they are. See errors for each of them.",
      errors,
    });
  const order = ({ channel, category }: NotificationPreferenceInput) => `${channel} ${category}`;
  return inputs
    .map(({ channel, category, enabled }) => ({ channel: channel as NotificationChannel, category, enabled }))
    .toSorted((first, second) => (order(first) < order(second) ? -1 : 1));
}
