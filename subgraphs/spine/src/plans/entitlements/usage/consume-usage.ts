import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { UsageConsumption } from "./usage-consumption.entity.js";

/** The largest usage that is counted, so that every counter is a safe integer. */
export const maxUsage = 9_000_000_000_000_000;

/** Consumes one feature in one period. */
export interface Consumption {
  readonly featureKey: string;
  readonly amount: number;
  readonly periodStart: Date;
  /** Null: unlimited. */
  readonly limit: number | null;
  /** The usage that is refused; larger than `limit` for a soft limit. */
  readonly hardLimit: number;
  /** Undefined: every call counts. */
  readonly idempotencyKey: string | undefined;
  readonly subjectId: string;
  /** When the counter is deleted. Null for a limit: its counter and its keys are kept. */
  readonly keepUntil: Date | null;
}

/** A consumption's outcome. */
export type ConsumptionOutcome =
  | { readonly kind: "counted"; readonly usage: number; readonly reachedNow: boolean }
  | { readonly kind: "repeated"; readonly usage: number; readonly limit: number | null; readonly isSame: boolean }
  | { readonly kind: "refused"; readonly usage: number; readonly reachedNow: boolean };

/** Another transaction has taken the key since this statement began. Nothing may be committed; the caller starts again. */
export class KeyTakenError extends Error {}

/**
 * The counter is locked first and changed only within its limit, then the key is stored. A transaction that counted
 * without storing its key must be rolled back.
 */
const consume = namedStatement(
  "consume_usage",
  `with earlier as (
      select from usage_consumptions where tenant_id = $tenant and feature_key = $featureKey and idempotency_key = $idempotencyKey
        and (expires_at is null or expires_at > now())
    ), counted as (
      insert into usage_counters as counter (tenant_id, feature_key, period_start, usage, reached_in, keep_until)
      select $tenant::uuid, $featureKey, $periodStart::timestamptz, $amount::bigint,
        case when $amount::bigint >= $limit::bigint then pg_current_xact_id()::text end, $keepUntil::timestamptz
      where not exists (select from earlier) and $amount::bigint <= $hardLimit::bigint
      on conflict (tenant_id, feature_key, period_start) do update
        set usage = counter.usage + excluded.usage,
          reached_in = case when counter.reached_in is null and counter.usage + excluded.usage >= $limit::bigint
            then pg_current_xact_id()::text else counter.reached_in end
        where counter.usage + excluded.usage <= $hardLimit::bigint
      returning usage, coalesce(reached_in = pg_current_xact_id()::text, false) as reached_now
    ), keyed as (
      insert into usage_consumptions as consumption
        (tenant_id, feature_key, idempotency_key, amount, subject_id, period_start, usage_after, limit_then, expires_at)
      select $tenant::uuid, $featureKey, $idempotencyKey, $amount::bigint, $subjectId, $periodStart::timestamptz, usage, $limit::bigint,
        case when $keepUntil::timestamptz is not null then now() + interval '24 hours' end
      from counted
      where $idempotencyKey::text is not null
      on conflict (tenant_id, feature_key, idempotency_key) do update
        set amount = excluded.amount, subject_id = excluded.subject_id, period_start = excluded.period_start,
          usage_after = excluded.usage_after, limit_then = excluded.limit_then, expires_at = excluded.expires_at
        where consumption.expires_at <= now()
      returning true
    )
    select usage, reached_now, exists (select from keyed) as keyed from counted`,
);

/** Read after a consumption that counted nothing, since another transaction may have ended in between. */
const notCounted = namedStatement(
  "usage_not_counted",
  `select counter.usage, counter.reached_in is not null as reached, earlier.amount, earlier.subject_id,
      earlier.usage_after, earlier.limit_then
    from (select) one
    left join usage_counters counter
      on counter.tenant_id = $tenant and counter.feature_key = $featureKey and counter.period_start = $periodStart
    left join usage_consumptions earlier
      on earlier.tenant_id = $tenant and earlier.feature_key = $featureKey and earlier.idempotency_key = $idempotencyKey
        and (earlier.expires_at is null or earlier.expires_at > now())`,
);

const markReached = {
  name: "mark_limit_reached",
  text: `update usage_counters set reached_in = pg_current_xact_id()::text
    where tenant_id = $1 and feature_key = $2 and period_start = $3 and reached_in is null returning true`,
};

type NotCountedRow = RowOf<UsageConsumption, "subjectId" | "usageAfter" | "limitThen"> & {
  usage: string | null;
  reached: boolean;
  amount: string | null;
};

/** Counts the consumption if its limit allows it. Throws KeyTakenError. */
export async function consumeUsage(
  { execute, tenant }: Transaction,
  consumption: Consumption,
): Promise<ConsumptionOutcome> {
  const {
    featureKey,
    amount,
    periodStart,
    limit,
    hardLimit,
    idempotencyKey = null,
    subjectId,
    keepUntil,
  } = consumption;
  const counter = { tenant: tenant.uuid, featureKey, periodStart };
  const values = consume.valuesOf({ ...counter, amount, hardLimit, limit, idempotencyKey, subjectId, keepUntil });
  const [counterRow] = await execute<{ usage: string; reached_now: boolean; keyed: boolean }>(consume, values);
  if (counterRow) {
    if (idempotencyKey !== null && !counterRow.keyed) throw new KeyTakenError();
    return { kind: "counted", usage: Number(counterRow.usage), reachedNow: counterRow.reached_now };
  }
  const [state] = await execute<NotCountedRow>(notCounted, notCounted.valuesOf({ ...counter, idempotencyKey }));
  if (state?.amount != null)
    return {
      kind: "repeated",
      usage: Number(state.usage_after),
      limit: state.limit_then === null ? null : Number(state.limit_then),
      isSame: Number(state.amount) === amount && state.subject_id === subjectId,
    };
  const usage = Number(state?.usage ?? 0);
  const isNew = limit !== null && usage >= limit && state?.usage != null && !state.reached;
  const reachedNow = isNew && (await execute(markReached, [tenant.uuid, featureKey, periodStart])).length > 0;
  return { kind: "refused", usage, reachedNow };
}

const release = {
  name: "release_usage",
  text: `with freed as (
      delete from usage_consumptions where tenant_id = $1 and feature_key = $2 and idempotency_key = $3
      returning amount, period_start)
    update usage_counters counter set usage = greatest(counter.usage - freed.amount, 0) from freed
    where counter.tenant_id = $1 and counter.feature_key = $2 and counter.period_start = freed.period_start returning true`,
};

/** Gives back what was consumed under the key. False if the key is unknown or was given back before. */
export async function releaseUsage(
  { execute, tenant }: Transaction,
  featureKey: string,
  key: string,
): Promise<boolean> {
  return (await execute(release, [tenant.uuid, featureKey, key])).length > 0;
}
