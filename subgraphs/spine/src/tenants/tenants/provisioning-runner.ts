import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobAttempt, JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { ProvisioningRun, runningCondition } from "./provisioning-run.entity.js";
import type { ProvisioningStep } from "./provisioning-step.js";
import { Tenant } from "./tenant.entity.js";
import { tenantFacts } from "./tenant.view.js";
import { bumpTenantVersion } from "./tenant-version.js";

export interface ProvisionTenantPayload {
  tenantId: string;
  runId: string;
  traceparent: string;
  actorId: string;
}

/** The job that runs `ProvisioningRunner`. */
export const provisionTenantJob: JobDefinition<ProvisionTenantPayload> = {
  queue: "provision-tenant",
  retryLimit: 3,
  retryDelaySeconds: 1,
  expireInSeconds: 120,
  concurrency: 2,
  concurrencyPerTenant: 1,
  subject: "runId",
};

/** Running provisioning runs; one without a job gets its job again. */
export const waitingProvisioningRuns: WaitingRows<ProvisionTenantPayload> = {
  slice: "provisioning",
  job: provisionTenantJob,
  table: "provisioning_runs",
  id: "run_id",
  prefix: "run",
  waiting: runningCondition,
  since: "requested_at",
  payload: ({ tenantId, id }) => ({
    tenantId,
    runId: id,
    traceparent: traceparent(continueTrace(undefined)),
    actorId: "system",
  }),
};

type Progress = { run: ProvisioningRun; tenant: Tenant };

/**
 * Runs a provisioning run's steps. Each step commits together with its name in `completedSteps`, so that the next
 * worker continues after the last committed step when a worker was killed.
 */
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
    await this.#whileRunning(payload, async (transaction, { run, tenant }) => {
      run.status = "Completed";
      run.endedAt = tenant.updatedAt = new Date();
      tenant.status = "Active";
      await bumpTenantVersion(transaction);
      const { tenantId, runId } = payload;
      const { subscriptionId } = tenant;
      transaction.record({
        type: "TenantProvisioned",
        subject: `tenants/${tenantId}`,
        data: { ...tenantFacts(tenant), runId, subscriptionId },
      });
    });
  }

  async abandoned(payload: ProvisionTenantPayload): Promise<void> {
    await this.#whileRunning(payload, async (transaction, { run, tenant }) => {
      run.status = "Failed";
      run.endedAt = tenant.updatedAt = new Date();
      tenant.status = "ProvisioningFailed";
      await bumpTenantVersion(transaction);
      const { tenantId, runId } = payload;
      const failedStep = this.#steps.find(({ name }) => !run.completedSteps.includes(name))?.name ?? null;
      transaction.record({
        type: "TenantProvisioningFailed",
        subject: `tenants/${tenantId}`,
        data: { tenantId, runId, status: tenant.status, failedStep },
      });
    });
  }

  /** Continues the run at the failed step. Throws INVALID_STATE when another run has started since. */
  async revived(transaction: Transaction, { tenantId, runId }: ProvisionTenantPayload): Promise<void> {
    const { em, record } = transaction;
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const tenant = await em.findOne(Tenant, { tenantId }, lock);
    const run = await em.findOne(ProvisioningRun, { tenantId, runId }, lock);
    if (tenant?.status !== "ProvisioningFailed" || run?.status !== "Failed")
      throw new DomainError("INVALID_STATE", {
        detail: "The run cannot be started again: another run has provisioned the tenant or is doing it now.",
        currentState: tenant?.status,
      });
    run.status = "Running";
    run.endedAt = null;
    tenant.status = "Provisioning";
    tenant.updatedAt = new Date();
    await bumpTenantVersion(transaction);
    record({
      type: "TenantProvisioningStarted",
      subject: `tenants/${tenantId}`,
      data: { tenantId, runId, status: tenant.status },
    });
  }

  /** The row lock allows one worker at a time to change the run. A run that has ended does not change. */
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
