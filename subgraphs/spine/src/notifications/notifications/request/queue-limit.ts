import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { queuedCondition } from "../record/notification.states.js";

/** A tenant delivers few notifications at once, so a longer queue would only wait, and burden every other tenant. */
const maxQueued = 10_000;
const retryAfterSeconds = 60;

const countQueued = {
  name: "notifications_queued",
  text: `select count(*)::int as queued from (
    select from notifications where tenant_id = $1 and ${queuedCondition} limit ${maxQueued}) counted`,
};

/** Throws RATE_LIMITED when 10,000 notifications of the tenant wait for their delivery. */
export async function requireShortQueue({ execute, tenant }: Transaction): Promise<void> {
  const [row] = await execute<{ queued: number }>(countQueued, [tenant.uuid]);
  if (!row || row.queued < maxQueued) return;
  throw new DomainError("RATE_LIMITED", {
    detail: `${maxQueued} notifications of the tenant wait for their delivery. Try again when some of them are sent.`,
    retryAfterSeconds,
  });
}
