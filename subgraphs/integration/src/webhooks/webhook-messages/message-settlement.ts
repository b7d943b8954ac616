import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { moveWaiting, planSettlementByKeys, settledBatch, skipWaiting, subscriptionState } from "./settle-statement.js";
import { originOf } from "./webhook-lane.js";

/** The payload for the job that settles one subscription's messages. */
interface SettleMessagesPayload {
  tenantId: string;
  subscriptionId: string;
}

/** The job makes waiting messages fit their subscription, after its state or its endpoint has changed. */
export const settleMessagesJob: JobDefinition<SettleMessagesPayload> = {
  queue: "settle-webhook-messages",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 2,
  concurrencyPerTenant: 1,
};

/**
 * Ends a subscription's waiting messages as Skipped unless it is Active. Moves an Active one's messages to its
 * endpoint's origin, in batches. A message that another transaction adds meanwhile is skipped by the dispatcher.
 */
export class MessageSettlement {
  readonly #database: Database;
  readonly #jobs: JobQueue;

  constructor(database: Database, jobs: JobQueue) {
    this.#database = database;
    this.#jobs = jobs;
  }

  /** Sends the job with the transaction that changes the subscription (UUID). */
  async request(transaction: Transaction, subscription: string): Promise<void> {
    const { tenantId } = transaction.tenant;
    const subscriptionId = encodeId("whs", subscription);
    await this.#jobs.send(transaction, settleMessagesJob, { tenantId, subscriptionId });
  }

  async settle({ tenantId, subscriptionId }: SettleMessagesPayload, { signal }: JobAttempt): Promise<void> {
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const tenant = tenantWithId(tenantId);
    const subscription = decodeId("whs", subscriptionId);
    for (let settledCount = settledBatch; settledCount === settledBatch; ) {
      signal.throwIfAborted();
      settledCount = await this.#database.transaction(tenant, cause, async (transaction) => {
        const { defer, execute } = transaction;
        await defer(planSettlementByKeys);
        const [state] = await execute<{ status: string; endpoint_url: string | null }>(subscriptionState, [
          tenant.uuid,
          subscription,
        ]);
        if (state?.endpoint_url == null) return 0;
        const values = [tenant.uuid, subscription];
        if (state.status !== "Active") return (await execute(skipWaiting, values)).length;
        return (await execute(moveWaiting, [...values, originOf(state.endpoint_url)])).length;
      });
      failpoint("webhookMessages.settled");
    }
  }
}
