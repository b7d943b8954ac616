import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import {
  type Consumption,
  type ConsumptionOutcome,
  consumeUsage,
  KeyTakenError,
  maxUsage,
  releaseUsage,
} from "./consume-usage.js";
import { ConsumptionQueue } from "./consumption-queue.js";
import { type CountedFeature, type UsagePeriod, usagePeriod } from "./period.js";

/** A request to count a feature's usage. */
interface UsageOrder {
  readonly featureKey: string;
  readonly feature: CountedFeature;
  readonly editionCode: string;
  readonly amount: number;
  readonly idempotencyKey: string | undefined;
  readonly subjectId: string;
}

/** Usage that was counted, refused, or only looked at. */
export interface UsageAnswer {
  readonly allowed: boolean;
  /** The usage is, or would be, above the limit. */
  readonly exceeds: boolean;
  /** Undefined for a feature that another subgraph counts. */
  readonly usage: number | undefined;
  readonly limit: number | null;
  readonly period: UsagePeriod;
}

const keptPeriodsMs = 400 * 86_400_000;
const maxAttempts = 5;

/** Counts usage in transactions, never above a hard limit. */
export class UsageService {
  readonly #database: Database;
  readonly #clock: () => Date;
  readonly #queue = new ConsumptionQueue<QueuedOrder, ConsumptionOutcome>((orders) => this.#count(orders));

  constructor(database: Database, clock: () => Date) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Throws IDEMPOTENCY_KEY_REUSED for a key that was used with another amount or subject. */
  async consume(tenant: Tenant, cause: Cause, order: UsageOrder): Promise<UsageAnswer> {
    const period = usagePeriod(order.feature, this.#clock());
    const consumption = consumptionOf(order, period);
    const counter = `${tenant.tenantId} ${order.featureKey}`;
    const outcome = await this.#queue.add(counter, cause.actorId, { tenant, cause, order, period, consumption });
    if (outcome.kind === "repeated" && !outcome.isSame)
      throw new DomainError("IDEMPOTENCY_KEY_REUSED", {
        detail:
          "This idempotency key was used before with another amount or subject. Use a new key for a new consumption.",
      });
    const { usage } = outcome;
    const limit = outcome.kind === "repeated" ? outcome.limit : order.feature.limit;
    return { allowed: outcome.kind !== "refused", exceeds: limit !== null && usage > limit, usage, limit, period };
  }

  /** Whether something was consumed under the key. */
  release(tenant: Tenant, cause: Cause, featureKey: string, idempotencyKey: string): Promise<boolean> {
    return this.#database.transaction(tenant, cause, (transaction) =>
      releaseUsage(transaction, featureKey, idempotencyKey),
    );
  }

  /** When another transaction has taken a key meanwhile, its end was awaited, so the next attempt sees the key. */
  async #count(orders: readonly [QueuedOrder, ...QueuedOrder[]]): Promise<ConsumptionOutcome[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#countTogether(orders);
      } catch (error) {
        if (!(error instanceof KeyTakenError) || attempt === maxAttempts) throw error;
      }
    }
  }

  #countTogether(orders: readonly [QueuedOrder, ...QueuedOrder[]]): Promise<ConsumptionOutcome[]> {
    const [{ tenant, cause }] = orders;
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const outcomes: ConsumptionOutcome[] = [];
      // the statement knows the transaction that has reached the limit, not which order in it
      const recordedPeriods = new Set<number>();
      for (const { consumption, order, period } of orders) {
        const outcome = await consumeUsage(transaction, consumption);
        if (outcome.kind !== "repeated" && outcome.reachedNow && !recordedPeriods.has(period.start.getTime())) {
          recordedPeriods.add(period.start.getTime());
          recordLimitReached(transaction, order, { usage: outcome.usage, period });
        }
        outcomes.push(outcome);
      }
      return outcomes;
    });
  }
}

/** An order that waits for its turn. */
interface QueuedOrder {
  readonly tenant: Tenant;
  readonly cause: Cause;
  readonly order: UsageOrder;
  readonly period: UsagePeriod;
  readonly consumption: Consumption;
}

function consumptionOf(order: UsageOrder, { start, resetAt }: UsagePeriod): Consumption {
  const { featureKey, feature, amount, idempotencyKey, subjectId } = order;
  const isSoft = feature.kind === "metered" && feature.soft;
  return {
    ...{ featureKey, amount, idempotencyKey, subjectId, periodStart: start, limit: feature.limit },
    hardLimit: isSoft || feature.limit === null ? maxUsage : feature.limit,
    keepUntil: resetAt === undefined ? null : new Date(resetAt.getTime() + keptPeriodsMs),
  };
}

function recordLimitReached(
  { record, tenant }: Transaction,
  { featureKey, feature, editionCode }: UsageOrder,
  { usage, period }: { usage: number; period: UsagePeriod },
): void {
  record({
    type: "EntitlementLimitReached",
    subject: `entitlements/${featureKey}`,
    data: {
      tenantId: tenant.tenantId,
      featureKey,
      editionCode,
      limit: feature.limit,
      usage,
      softLimit: feature.kind === "metered" && feature.soft,
      periodStart: period.resetAt === undefined ? null : period.start.toISOString(),
      resetAt: period.resetAt?.toISOString() ?? null,
    },
  });
}
