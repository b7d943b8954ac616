import { namedStatement } from "@factory/runtime/db/named-parameters";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { planByKeys } from "../../notifications/record/plan-by-keys.js";

const lockLimit = {
  name: "notification_slot_lock",
  text: "select pg_advisory_xact_lock(hashtextextended($1::text || $2, 0))",
};

/**
 * A second call answers the same. There is not a slot after the latest time, and none is taken, so that what is refused
 * keeps nothing else waiting.
 */
export const takeSlot = namedStatement(
  "notification_slot_take",
  `with known as (
      select due_at from notification_slots where tenant_id = $tenant and notification_id = $notification and limit_key = $key),
    before as (
      select due_at from notification_slots where tenant_id = $tenant and limit_key = $key
      order by due_at desc offset $perHour - 1 limit 1),
    next as (select greatest(now(), (select due_at + interval '1 hour' from before)) as due_at),
    taken as (
      insert into notification_slots (tenant_id, notification_id, limit_key, due_at)
      select $tenant, $notification, $key, due_at from next
      where due_at <= $latest::timestamptz and not exists (select from known) returning due_at)
    select extract(epoch from due_at - now())::float8 * 1000 as wait_ms from (table known union all table taken) slot`,
);

/** A limit on messages in an hour. */
interface HourlyLimit {
  /** Tells a tenant's limits apart. */
  readonly key: string;
  readonly perHour: number;
}

/** A notification that would wait for longer is not sent. */
const longestWaitMs = 3 * 24 * 3_600_000;

/**
 * Spreads messages over a limit's hours. Each notification takes a slot in a limit once, in the order in which
 * deliveries come, so that those that wait need no further attempt before their time.
 */
export class HourlySlots {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The time from which the notification may be sent: undefined for now, and `never` for one that is days away. */
  async take(
    { tenant, notificationId, createdAt }: QueuedNotification,
    { key, perHour }: HourlyLimit,
  ): Promise<Date | "never" | undefined> {
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const latest = new Date(createdAt.getTime() + longestWaitMs);
    const waitMs = await this.#database.transaction(tenant, cause, async (transaction) => {
      const { defer, execute } = transaction;
      await planByKeys(transaction);
      await defer(lockLimit, [tenant.uuid, key]);
      const notification = decodeId("ntf", notificationId);
      const parameters = { tenant: tenant.uuid, notification, key, perHour, latest: latest.toISOString() };
      const [slot] = await execute<{ wait_ms: number }>(takeSlot, takeSlot.valuesOf(parameters));
      return slot?.wait_ms;
    });
    if (waitMs === undefined) return "never";
    return waitMs > 0 ? new Date(Date.now() + waitMs) : undefined;
  }
}
