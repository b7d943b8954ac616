import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { unknownSubscription } from "../webhook-subscriptions/locked-subscription.js";
import { countedRows, subscriptionStatistics } from "./statistics-statement.js";
import type { WebhookStatisticsType } from "./webhook-statistics.type.js";

const defaultHours = 24;
const maxHours = 168;
const msPerMinute = 60_000;

interface StatisticsRow {
  since: Date;
  until: Date;
  failing_since: Date | null;
  attempts: number;
  failed: number;
  first_at: Date | null;
  last_success_at: Date | null;
  percentiles: [number, number] | null;
  slowest_ms: number | null;
  failures: WebhookStatisticsType["failures"] | null;
  waiting: number;
  oldest_waiting_at: Date | null;
}

/** Counts what webhook subscriptions have sent. */
export class WebhookStatisticsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND, or VALIDATION_FAILED for `hours` outside 1 to 168. */
  async of(
    context: RequestContext,
    subscriptionId: string,
    hours: number | null | undefined,
  ): Promise<WebhookStatisticsType> {
    const period = checkedHours(hours ?? defaultHours);
    const uuid = decodeId("whs", subscriptionId);
    const [row] =
      uuid === undefined
        ? []
        : await this.#database.reader.rows<StatisticsRow>(subscriptionStatistics, tenantOf(context), uuid, period);
    if (!row) throw unknownSubscription();
    return { subscriptionId, ...countsOf(row), ...timesOf(row) };
  }
}

function countsOf(row: StatisticsRow) {
  const { attempts, failed, waiting } = row;
  const [median = null, p95 = null] = row.percentiles ?? [];
  return {
    complete: attempts <= countedRows,
    attempts,
    succeeded: attempts - failed,
    failed,
    failureRate: attempts === 0 ? null : failed / attempts,
    attemptsPerMinute: attempts / Math.max(1, (row.until.getTime() - sinceOf(row).getTime()) / msPerMinute),
    medianDurationMs: median && Math.round(median),
    p95DurationMs: p95 && Math.round(p95),
    maxDurationMs: row.slowest_ms,
    failures: row.failures ?? [],
    waiting,
  };
}

const timesOf = (row: StatisticsRow) => ({
  since: sinceOf(row).toISOString(),
  until: row.until.toISOString(),
  lastSuccessAt: row.last_success_at?.toISOString() ?? null,
  failingSince: row.failing_since?.toISOString() ?? null,
  oldestWaitingAt: row.oldest_waiting_at?.toISOString() ?? null,
});

/** The time when the counted period begins. With too many attempts it is the oldest attempt's time that was read. */
const sinceOf = ({ attempts, since, first_at }: StatisticsRow): Date =>
  attempts > countedRows && first_at ? first_at : since;

function checkedHours(hours: number): number {
  if (hours >= 1 && hours <= maxHours) return hours;
  const detail = `Must be from 1 to ${maxHours}.`;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The period of the statistics is not valid.",
    errors: [{ pointer: "/hours", code: "OUT_OF_RANGE", detail }],
  });
}
