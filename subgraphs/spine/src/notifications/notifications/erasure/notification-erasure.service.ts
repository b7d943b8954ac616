import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeletedPerson } from "../../../people/users/personal-data.js";
import type { NotificationErasure } from "../record/notification-erasure.entity.js";
import { eraseNotificationsJob } from "./erase-notifications-job.js";

interface ErasureParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  /** How many notifications one job deletes. */
  readonly pageSize?: number | undefined;
}

type OpenErasure = RowOf<NotificationErasure, "emailKey" | "requestedAt"> & { is_last: boolean };

/** Deletes 5,000 notifications with their content well within a second. */
const defaultPageSize = 5000;
/** Requests that were under way at the deletion have ended after this time, and a last job finds what they wrote. */
const lastPassAfterMs = 60_000;

const open = {
  name: "notification_erasure_open",
  text: `insert into notification_erasures (tenant_id, user_id, email_key, requested_at) values ($1, $2, $3, $4)`,
};

const erasePreferences = {
  name: "notification_preferences_erase",
  text: "delete from notification_preferences where tenant_id = $1 and user_id = $2",
};

const lock = `select email_key, requested_at,
    requested_at < now() - $3 * interval '1 millisecond' as is_last
  from notification_erasures where tenant_id = $1 and user_id = $2 for update`;

const end = "delete from notification_erasures where tenant_id = $1 and user_id = $2";

/**
 * The content goes with the last notification that has it. Rows are addressed by their ctid, which cannot change while they are locked. The statement is planned anew each
 * time, since the tables grow.
 */
const erasePage = namedStatement(
  "notification_erasure_page",
  `with
  of_person as materialized (
    select ctid from notifications where tenant_id = $tenant and recipient_user_id = $user
    order by notification_id limit $pageSize for update),
  of_address as materialized (
    select ctid from notifications where tenant_id = $tenant and recipient_email_key = $emailKey and created_at <= $deletedAt
    limit $pageSize for update),
  gone as (
    delete from notifications
    where ctid = any (array(select ctid from of_person union all select ctid from of_address)) returning message_id),
  content as (select message_id, count(*)::int as erased from gone group by message_id),
  emptied as (
    delete from notification_messages message using content
    where message.tenant_id = $tenant and message.message_id = content.message_id
      and message.recipient_count <= content.erased and message.broadcast_after is null),
  lessened as (
    update notification_messages message set recipient_count = message.recipient_count - content.erased from content
    where message.tenant_id = $tenant and message.message_id = content.message_id
      and not (message.recipient_count <= content.erased and message.broadcast_after is null))
  select count(*)::int as erased from gone`,
);

/**
 * Erases deleted people's notifications. There may be a million, so a user's deletion hides their content at once, and
 * jobs delete them page by page.
 */
export class NotificationErasureService {
  readonly #parts: ErasureParts;

  constructor(parts: ErasureParts) {
    this.#parts = parts;
  }

  /** Begins the erasure in the transaction that deletes the user. */
  readonly begin = async (transaction: Transaction, person: DeletedPerson): Promise<void> => {
    const { defer, tenant } = transaction;
    const { userId, formerEmail } = person;
    const key = [tenant.uuid, decodeId("usr", userId)];
    await defer(open, [...key, mailAddressKey(formerEmail), new Date().toISOString()]);
    await defer(erasePreferences, key);
    await eraseAnswers(transaction, person);
    await this.#parts.jobs.send(transaction, eraseNotificationsJob, { tenantId: tenant.tenantId, userId });
  };

  /** Erases the next page. Another job erases the next one, so that tenants take turns, and a killed one is repeated. */
  async continue({ tenantId, userId }: { tenantId: string; userId: string }): Promise<void> {
    const { database, jobs } = this.#parts;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    await database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
      const { execute, tenant } = transaction;
      const key = [tenant.uuid, decodeId("usr", userId)];
      const [person] = await execute<OpenErasure>(lock, [...key, lastPassAfterMs]);
      if (!person) return;
      const isEmpty = (await this.#erasePage(transaction, userId, person)) === 0;
      failpoint("notifications.erasing");
      if (isEmpty && person.is_last) {
        await execute(end, key);
        return;
      }
      const pause = isEmpty ? { startAfter: new Date(Date.now() + lastPassAfterMs) } : {};
      await jobs.send(transaction, eraseNotificationsJob, { tenantId, userId }, pause);
    });
    failpoint("notifications.erased");
  }

  async #erasePage({ execute, tenant }: Transaction, userId: string, person: OpenErasure): Promise<number> {
    const values = erasePage.valuesOf({
      ...{ tenant: tenant.uuid, user: decodeId("usr", userId), emailKey: person.email_key },
      ...{ deletedAt: person.requested_at, pageSize: this.#parts.pageSize ?? defaultPageSize },
    });
    const [page] = await execute<{ erased: number }>(erasePage.text, values);
    return page?.erased ?? 0;
  }
}

/**
 * $1: tenant, $2: user, $3: replaced address. The answer is the whole notification, without foreign JSON, and it is kept
 * for repeated requests.
 */
const eraseContents = {
  name: "notification_answers_erase",
  text: `update idempotency_records set result = (result::jsonb || '{"title": null, "body": null}')::json
    where tenant_id = $1 and field = 'markNotificationRead'
      and (result->'recipient'->>'userId' = $2 or result->'recipient'->>'email' = $3)`,
};

/**
 * Erases what a deleted person has received from the answers that are kept for repeated requests. The former address in them
 * was replaced before, as in all such answers.
 */
async function eraseAnswers(
  { defer, tenant }: Transaction,
  { userId, replacementEmail }: DeletedPerson,
): Promise<void> {
  await defer(eraseContents, [tenant.uuid, userId, replacementEmail]);
}
