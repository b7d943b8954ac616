import { namedStatement } from "@factory/runtime/db/named-parameters";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt, JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockTenant } from "./find-tenant.js";
import { platformTenant } from "./platform-tenant.js";
import type { ProvisioningStep } from "./provisioning-step.js";
import { bumpTenantVersion } from "./tenant-version.js";

/** The job that runs `ProvisioningCompletion`; it belongs to the platform's tenant. */
export const completeProvisioningJob: JobDefinition<{ tenantId: string }> = {
  queue: "complete-provisioning",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 900,
  concurrency: 1,
  concurrencyPerTenant: 1,
};

const batchSize = 500;
const cause = () => ({ trace: continueTrace(undefined), actorId: "bootstrap" });

/** Active tenants that have not run every step, sorted by ID, after the ID `$after`. */
const unfinishedTenants = namedStatement(
  "tenants_with_unfinished_provisioning",
  `select tenant_id from tenants
  where status = 'Active' and tenant_id <> $platform and not provisioned_steps @> $steps::text[] and tenant_id > $after
  order by tenant_id limit $limit`,
);

/** Runs a new release's provisioning steps for tenants that were provisioned before the steps existed. */
export class ProvisioningCompletion {
  readonly #database: Database;
  readonly #steps: readonly ProvisioningStep[];
  readonly #logger: Logger;

  constructor(database: Database, steps: readonly ProvisioningStep[], logger: Logger) {
    this.#database = database;
    this.#steps = steps;
    this.#logger = logger;
  }

  /** Called at start: sends the job if any tenant misses a step. */
  async request(jobs: JobQueue): Promise<void> {
    await this.#database.transaction(platformTenant, cause(), async (transaction) => {
      const [missing] = await transaction.execute(unfinishedTenants, this.#parameters(undefined, 1));
      if (missing) await jobs.send(transaction, completeProvisioningJob, { tenantId: platformTenantId });
    });
  }

  /** A tenant that fails does not stop the others. The job then fails too, so that it is tried again. */
  async run({ signal }: Pick<JobAttempt, "signal">): Promise<void> {
    let failure: unknown;
    let position: string | undefined;
    for (;;) {
      const tenants = await this.#database.transaction(platformTenant, cause(), ({ execute }) =>
        execute<{ tenant_id: string }>(unfinishedTenants, this.#parameters(position, batchSize)),
      );
      if (tenants.length === 0) break;
      for (const { tenant_id: uuid } of tenants) {
        signal.throwIfAborted();
        position = uuid;
        const tenantId = encodeId("ten", uuid);
        await this.#complete(tenantId).catch((error: unknown) => {
          this.#logger.warn({ err: error, tenantId }, "the provisioning of a tenant could not be completed");
          failure = error;
        });
      }
    }
    if (failure !== undefined) throw failure;
  }

  async #complete(tenantId: string): Promise<void> {
    await this.#database.transaction(tenantWithId(tenantId), cause(), async (transaction) => {
      const tenant = await lockTenant(transaction);
      if (tenant?.status !== "Active") return;
      for (const step of this.#steps.filter(({ name }) => !tenant.provisionedSteps.includes(name))) {
        await step.run(transaction, tenant);
        tenant.provisionedSteps = [...tenant.provisionedSteps, step.name];
      }
      await bumpTenantVersion(transaction);
    });
  }

  #parameters(after: string | undefined, limit: number): unknown[] {
    const steps = this.#steps.map(({ name }) => name);
    const platform = tenantWithId(platformTenantId).uuid;
    return unfinishedTenants.valuesOf({ platform, steps, after: after ?? nilUuid, limit });
  }
}
