import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt, JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { RightsLost } from "../access-control/permission-loss.js";
import { platformTenant } from "../tenants/platform-tenant.js";
import { Tenant } from "../tenants/tenant.entity.js";
import { Role } from "./role.entity.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { bringSystemRolesUpToDate, systemRolesDigest } from "./seed-system-roles.js";

export const refreshSystemRolesJob: JobDefinition<{ tenantId: string }> = {
  queue: "refresh-system-roles",
  retryLimit: 5,
  retryDelaySeconds: 5,
  expireInSeconds: 900,
  concurrency: 1,
  concurrencyPerTenant: 1,
};

const batch = 500;
const cause = () => ({ trace: continueTrace(undefined), actorId: "bootstrap" });

/** At start: one read while every tenant's system roles are those of this release, else a job that goes through the rest. */
export async function refreshSystemRoles(database: Database, jobs: JobQueue): Promise<void> {
  await database.transaction(platformTenant, cause(), async (transaction) => {
    const [stale] = await transaction.execute(staleTenants, [systemRolesDigest, 1]);
    if (stale) await jobs.send(transaction, refreshSystemRolesJob, { tenantId: platformTenantId });
  });
}

const staleTenants = "select tenant_id from tenants where system_roles_digest is distinct from $1 limit $2";

/** Each tenant is a transaction of its own, so a job that was killed goes on where it was. */
export class SystemRolesRefresher {
  readonly #database: Database;
  readonly #rightsLost: RightsLost;

  constructor(database: Database, rightsLost: RightsLost) {
    this.#database = database;
    this.#rightsLost = rightsLost;
  }

  async run({ signal }: Pick<JobAttempt, "signal">): Promise<void> {
    for (;;) {
      const stale = await this.#database.transaction(platformTenant, cause(), ({ execute }) =>
        execute<{ tenant_id: string }>(staleTenants, [systemRolesDigest, batch]),
      );
      if (stale.length === 0) return;
      for (const { tenant_id: uuid } of stale) {
        signal.throwIfAborted();
        await this.#refresh(encodeId("ten", uuid));
      }
    }
  }

  /** The tenant's row lock keeps a provisioning run from seeding the same roles beside us. */
  async #refresh(tenantId: string): Promise<void> {
    await this.#database.transaction(tenantWithId(tenantId), cause(), async (transaction) => {
      const tenant = await transaction.em.findOne(Tenant, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!tenant || tenant.systemRolesDigest === systemRolesDigest) return;
      const before = (await transaction.em.find(Role, { tenantId })).map((role) => ({ role, scopes: role.scopes }));
      await bringSystemRolesUpToDate(transaction, tenant);
      const narrowed = before.filter(({ role, scopes }) => scopes.some((scope) => !role.scopes.includes(scope)));
      if (narrowed.length > 0)
        await this.#narrowed(
          transaction,
          narrowed.map(({ role }) => role.roleId),
        );
    });
  }

  async #narrowed(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const { em, tenant } = transaction;
    const held = await em.find(RoleAssignment, { tenantId: tenant.tenantId, roleId: { $in: [...roleIds] } });
    await this.#rightsLost(transaction, [...new Set(held.map(({ principalId }) => principalId))]);
  }
}
