import type { Database, Transaction } from "@factory/runtime/db/database";
import type { JobOwner } from "@factory/runtime/jobs/job-definition";
import type { JobAttempt, JobDefinition } from "@factory/runtime/jobs/job-queue";
import type { Cause } from "@factory/runtime/outbox/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LockMode } from "@mikro-orm/postgresql";
import { ProvisioningRun } from "./provisioning-run.entity.js";
import { Tenant } from "./tenant.entity.js";
import { tenantFacts } from "./tenant.view.js";

export interface ProvisionTenantPayload {
  tenantId: string;
  runId: string;
  traceparent: string;
  actorId: string;
}

export const provisionTenantJob: JobDefinition<ProvisionTenantPayload> = {
  queue: "provision-tenant",
  retryLimit: 3,
  retryDelaySeconds: 1,
  expireInSeconds: 120,
  concurrency: 2,
  concurrencyPerTenant: 1,
  subject: "runId",
};

/** Runs in a transaction of the new tenant, and again for tenants that were provisioned before the step existed:
 * it finds its own earlier effect and leaves it as it is. */
export interface ProvisioningStep {
  readonly name: string;
  run(transaction: Transaction, tenant: Tenant): Promise<void>;
}

type Progress = { run: ProvisioningRun; tenant: Tenant };

/** Walks the steps of a run; each commits together with its mark, so a killed worker's successor goes on after it. */
export class ProvisioningRunner implements JobOwner<ProvisionTenantPayload> {
  readonly #database: Database;
  readonly #steps: readonly ProvisioningStep[];

  constructor(database: Database, steps: readonly ProvisioningStep[]) {
    this.#database = database;
    this.#steps = steps;
  }

  async run(payload: ProvisionTenantPayload, { signal }: Pick<JobAttempt, "signal">): Promise<void> {
    for (const step of this.#steps) {
      signal.throwIfAborted();
      await this.#whileRunning(payload, async (transaction, { run, tenant }) => {
        if (run.completedSteps.includes(step.name)) return;
        await step.run(transaction, tenant);
        run.completedSteps = [...run.completedSteps, step.name];
        tenant.provisionedSteps = [...new Set([...tenant.provisionedSteps, step.name])];
      });
    }
    await this.#whileRunning(payload, async ({ record }, { run, tenant }) => {
      run.status = "Completed";
      run.endedAt = tenant.updatedAt = new Date();
      tenant.status = "Active";
      const { tenantId, runId } = payload;
      const { subscriptionId } = tenant;
      record({
        type: "TenantProvisioned",
        subject: `tenants/${tenantId}`,
        data: { ...tenantFacts(tenant), runId, subscriptionId },
      });
    });
  }

  async abandoned(payload: ProvisionTenantPayload): Promise<void> {
    await this.#whileRunning(payload, async ({ record }, { run, tenant }) => {
      run.status = "Failed";
      run.endedAt = tenant.updatedAt = new Date();
      tenant.status = "ProvisioningFailed";
      const { tenantId, runId } = payload;
      const failedStep = this.#steps.find(({ name }) => !run.completedSteps.includes(name))?.name ?? null;
      record({
        type: "TenantProvisioningFailed",
        subject: `tenants/${tenantId}`,
        data: { tenantId, runId, status: tenant.status, failedStep },
      });
    });
  }

  /** The row lock lets one worker at a time move a run; once it has ended nobody does. */
  async #whileRunning(
    { tenantId, runId, ...cause }: ProvisionTenantPayload,
    work: (transaction: Transaction, progress: Progress) => Promise<void>,
  ): Promise<void> {
    await this.#database.transaction(tenantWithId(tenantId), causeOf(cause), async (transaction) => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const run = await transaction.em.findOne(ProvisioningRun, { tenantId, runId }, lock);
      if (run?.status !== "Running") return;
      const tenant = await transaction.em.findOneOrFail(Tenant, { tenantId });
      await work(transaction, { run, tenant });
    });
  }
}

function causeOf({ traceparent, actorId }: Pick<ProvisionTenantPayload, "traceparent" | "actorId">): Cause {
  return { trace: continueTrace(traceparent), actorId };
}
