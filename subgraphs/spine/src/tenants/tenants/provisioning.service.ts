import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { requireTenant, unknownTenant } from "./find-tenant.js";
import { ProvisioningRun } from "./provisioning-run.entity.js";
import type { ProvisioningRunType } from "./provisioning-run.type.js";
import {
  type ProvisioningRunRow,
  provisioningRunColumns,
  provisioningRunView,
  readProvisioningRun,
} from "./provisioning-run.view.js";
import { provisionTenantJob } from "./provisioning-runner.js";
import { provisionableStates } from "./tenant.states.js";
import { bumpTenantVersion } from "./tenant-version.js";

/** Starts a provisioning run, or returns the run that is under way. */
export class ProvisioningService {
  readonly #database: Database;
  readonly #jobs: JobQueue;

  constructor(database: Database, jobs: JobQueue) {
    this.#database = database;
    this.#jobs = jobs;
  }

  request(context: RequestContext, tenantId: string): Promise<ProvisioningRunType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    return idempotentMutation(this.#database, context, {
      field: "provisionTenant",
      arguments: { tenantId },
      tenant: tenantWithId(tenantId),
      commit: (transaction) => this.#start(transaction, context),
    });
  }

  /** Finds every run for a platform administrator with the scope tenant.read, and the own tenant's runs for other callers. */
  async find(context: RequestContext, runId: string): Promise<ProvisioningRunType | undefined> {
    const uuid = decodeId("run", runId);
    if (uuid === undefined) return undefined;
    const { platformAdmin, scopes } = principalOf(context);
    const acrossTenants = platformAdmin && scopes.has("tenant.read") ? ({ platform: true } as const) : {};
    const tenant = { ...tenantOf(context), ...acrossTenants };
    const [row] = await this.#database.transaction(tenant, { trace: context.trace }, ({ execute }) =>
      execute<ProvisioningRunRow>(`select ${provisioningRunColumns} from provisioning_runs where run_id = $1`, [uuid]),
    );
    return row && provisioningRunView(readProvisioningRun(row));
  }

  async #start(transaction: Transaction, context: RequestContext): Promise<ProvisioningRunType> {
    const { em, record } = transaction;
    const { tenantId } = transaction.tenant;
    const tenant = await requireTenant(transaction);
    if (!provisionableStates.includes(tenant.status))
      throw new DomainError("INVALID_STATE", {
        detail: `The tenant is ${tenant.status}. It can be provisioned only while it is ${provisionableStates.join(" or ")}.`,
        currentState: tenant.status,
        allowed: provisionableStates,
      });
    const runUnderWay = await em.findOne(ProvisioningRun, { tenantId, status: "Running" });
    if (runUnderWay) return provisioningRunView(runUnderWay);
    const now = new Date();
    const runId = newId("run");
    tenant.status = "Provisioning";
    tenant.updatedAt = now;
    await bumpTenantVersion(transaction);
    const run = { tenantId, runId, status: "Running", completedSteps: [], requestedAt: now, endedAt: null } as const;
    em.persist(em.create(ProvisioningRun, { ...run, completedSteps: [] }));
    record({
      type: "TenantProvisioningStarted",
      subject: `tenants/${tenantId}`,
      data: { tenantId, runId, status: tenant.status },
    });
    await this.#jobs.send(transaction, provisionTenantJob, {
      tenantId,
      runId,
      traceparent: traceparent(context.trace),
      actorId: principalOf(context).subject,
    });
    return provisioningRunView(run);
  }
}
