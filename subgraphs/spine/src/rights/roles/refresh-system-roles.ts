import type { JobAttempt, JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { lockTenant } from "../../tenants/tenants/find-tenant.js";
import { platformTenant } from "../../tenants/tenants/platform-tenant.js";
import type { PermissionLossHandler } from "../access-control/permission-loss.js";
import { tenantsWithOutdatedRoles } from "./outdated-tenants-statement.js";
import { Role } from "./role.entity.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { bringSystemRolesUpToDate, systemRolesDigest } from "./seed-system-roles.js";

/** The job that runs `SystemRolesRefresher`; it belongs to the platform's tenant. */
export const refreshSystemRolesJob: JobDefinition<{ tenantId: string }> = {
  queue: "refresh-system-roles",
  retryLimit: 5,
  retryDelaySeconds: 5,
  expireInSeconds: 900,
  concurrency: 1,
  concurrencyPerTenant: 1,
};

const batchSize = 500;
const cause = () => ({ trace: continueTrace(undefined), actorId: "bootstrap" });

/** Called at start: sends the job if any tenant's system roles differ from this release's list. */
export async function refreshSystemRoles(database: Database, jobs: JobQueue): Promise<void> {
  await database.transaction(platformTenant, cause(), async (transaction) => {
    const [outdatedTenant] = await tenantsWithOutdatedRoles(transaction, systemRolesDigest, 1);
    if (outdatedTenant) await jobs.send(transaction, refreshSystemRolesJob, { tenantId: platformTenantId });
  });
}

/** Updates every tenant's system roles, each in its own transaction. A killed job continues where it stopped. */
export class SystemRolesRefresher {
  readonly #database: Database;
  readonly #onPermissionLoss: PermissionLossHandler;

  constructor(database: Database, onPermissionLoss: PermissionLossHandler) {
    this.#database = database;
    this.#onPermissionLoss = onPermissionLoss;
  }

  async run({ signal }: Pick<JobAttempt, "signal">): Promise<void> {
    for (;;) {
      const outdatedTenants = await this.#database.transaction(platformTenant, cause(), (transaction) =>
        tenantsWithOutdatedRoles(transaction, systemRolesDigest, batchSize),
      );
      if (outdatedTenants.length === 0) return;
      for (const tenantId of outdatedTenants) {
        signal.throwIfAborted();
        await this.#refresh(tenantId);
      }
    }
  }

  /** The lock on the tenant's row prevents a provisioning run from creating the same roles at the same time. */
  async #refresh(tenantId: string): Promise<void> {
    await this.#database.transaction(tenantWithId(tenantId), cause(), async (transaction) => {
      const tenant = await lockTenant(transaction);
      if (!tenant || tenant.systemRolesDigest === systemRolesDigest) return;
      const before = (await transaction.em.find(Role, { tenantId })).map((role) => ({ role, scopes: role.scopes }));
      await bringSystemRolesUpToDate(transaction, tenant);
      const narrowedRoles = before.filter(({ role, scopes }) => scopes.some((scope) => !role.scopes.includes(scope)));
      if (narrowedRoles.length > 0)
        await this.#narrowed(
          transaction,
          narrowedRoles.map(({ role }) => role.roleId),
        );
    });
  }

  async #narrowed(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const { em, tenant } = transaction;
    const assignments = await em.find(RoleAssignment, { tenantId: tenant.tenantId, roleId: { $in: [...roleIds] } });
    await this.#onPermissionLoss(transaction, [...new Set(assignments.map(({ principalId }) => principalId))]);
  }
}
