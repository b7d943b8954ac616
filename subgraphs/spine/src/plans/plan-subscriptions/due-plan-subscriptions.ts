import { type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import { advancePlanSubscriptionJob } from "./advance-plan-subscription.js";
import { PlanSubscription } from "./plan-subscription.entity.js";

type DueRow = RowOf<PlanSubscription, "tenantId" | "subscriptionId">;

const readPlan = rowReader(PlanSubscription);

const batchSize = 500;

const dueRows = {
  name: "due_plan_subscriptions",
  text: `select tenant_id, subscription_id from plan_subscriptions
    where next_change_at <= $1 and change_sent_at is null order by next_change_at limit ${batchSize}`,
};

const markSent = {
  name: "mark_plan_subscription_sent",
  text: `update plan_subscriptions set change_sent_at = $3
    where tenant_id = $1 and subscription_id = $2 and next_change_at <= $3 and change_sent_at is null returning true`,
};

interface Resources {
  readonly database: Database;
  /** Connects as the worker role, which sees every tenant's rows that change by themselves. */
  readonly workers: Pick<Pool, "query">;
  readonly jobs: JobQueue;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** The pause after a look, at most a second. */
  readonly lookMs: number;
}

/**
 * Looks once a second for plan subscriptions with a due change, and sends a job for each. The row remembers that its
 * job was sent, in the same transaction, so that several processes send one job.
 */
export class DuePlanSubscriptions {
  readonly #resources: Resources;
  readonly #loop: DrainLoop;

  constructor(resources: Resources) {
    this.#resources = resources;
    this.#loop = new DrainLoop(
      "due plan subscriptions",
      async () => ((await this.look()) ? "more" : resources.lookMs),
      resources.logger,
    );
  }

  start(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Sends the jobs for one batch; true if more rows are waiting. A row that fails does not stop the others. */
  async look(): Promise<boolean> {
    const { workers, logger, clock } = this.#resources;
    const now = clock();
    const { rows } = await workers.query<DueRow>({ ...dueRows, values: [now] });
    let sentJobs = 0;
    for (const row of rows) {
      const ids = readPlan(row);
      try {
        if (await this.#send(row, ids, now)) sentJobs += 1;
      } catch (error) {
        logger.warn({ err: error, ...ids }, "the job of a due plan subscription was not sent; the next look is soon");
      }
    }
    return rows.length === batchSize && sentJobs > 0;
  }

  #send(row: DueRow, payload: Readonly<{ tenantId: string; subscriptionId: string }>, now: Date): Promise<boolean> {
    const { database, jobs } = this.#resources;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    return database.transaction(tenantWithId(payload.tenantId), cause, async (transaction) => {
      const markedRows = await transaction.execute(markSent, [row.tenant_id, row.subscription_id, now]);
      if (markedRows.length === 0) return false;
      await jobs.send(transaction, advancePlanSubscriptionJob, { ...payload });
      return true;
    });
  }
}
