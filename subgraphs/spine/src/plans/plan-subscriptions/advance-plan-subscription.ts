import { failpoint } from "@factory/runtime/faults/failpoint";
import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockTenant } from "../../tenants/tenants/find-tenant.js";
import { lockPlanSubscription, makeDueChanges } from "./change-plan-subscription.js";

/** The payload for the job that advances one plan subscription. */
interface AdvancePlanSubscriptionPayload {
  tenantId: string;
  subscriptionId: string;
}

/** The job makes one plan subscription's changes whose time has come. */
export const advancePlanSubscriptionJob: JobDefinition<AdvancePlanSubscriptionPayload> = {
  queue: "advance-plan-subscription",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 2,
  concurrencyPerTenant: 1,
  subject: "subscriptionId",
};

/** Plan subscriptions with a due change; one without a job gets its job again. */
export const duePlanSubscriptionRows: WaitingRows<AdvancePlanSubscriptionPayload> = {
  slice: "plan-subscriptions",
  job: advancePlanSubscriptionJob,
  table: "plan_subscriptions",
  id: "subscription_id",
  prefix: "sub",
  waiting: "next_change_at < now()",
  since: "next_change_at",
  payload: ({ tenantId, id }) => ({ tenantId, subscriptionId: id }),
};

/** Makes the due changes. A repetition finds none: each change is committed together with its event. */
export async function advancePlanSubscription(
  database: Database,
  clock: () => Date,
  { tenantId, subscriptionId }: AdvancePlanSubscriptionPayload,
): Promise<void> {
  failpoint("planSubscription.taken");
  const cause = { trace: continueTrace(undefined), actorId: "system" };
  await database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
    const tenant = await lockTenant(transaction);
    const plan = tenant && (await lockPlanSubscription(transaction, subscriptionId));
    if (!plan) return;
    await makeDueChanges(transaction, { plan, tenant, now: clock() });
    // Sent here, so that the failpoint stands between the statements and the commit.
    await transaction.em.flush();
    failpoint("planSubscription.changed");
  });
  failpoint("planSubscription.advanced");
}
