import type { PolicyDef } from "@mikro-orm/core";

/** Member of no table policy but these: the role that reads what must be read before a tenant is known. */
export const workerGroup = "platform_worker";

const sameTenant = "tenant_id = nullif(current_setting('app.tenant', true), '')::uuid";
const tenantPolicy = { name: "tenant", using: sameTenant, check: sameTenant };
const workerPolicy = { name: "worker", roles: [workerGroup], using: "true", check: "true" };

interface TableOptions {
  tableName: string;
  rowLevelSecurity: "force";
  policies: PolicyDef[];
}

/** Entity options of a table that only its tenant sees. A transaction without a tenant sees no row. */
export function tenantTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [tenantPolicy] };
}

/** As `tenantTable`, open to platform administrators, who act on Tenants across tenants. */
export function platformTable(tableName: string): TableOptions {
  const platform = "current_setting('app.platform', true) = 'on'";
  return {
    tableName,
    rowLevelSecurity: "force",
    policies: [tenantPolicy, workerPolicy, { name: "platform", using: platform, check: platform }],
  };
}

/** As `tenantTable`; workers see, and so can delete, what has expired. */
export function expiringTenantTable(tableName: string, expired: string): TableOptions {
  const policies = [tenantPolicy, { name: "expired", roles: [workerGroup], using: expired }];
  return { tableName, rowLevelSecurity: "force", policies };
}

/** As `tenantTable`; workers read, across tenants, the rows that wait for a job: see `Sweeper`. */
export function sweptTenantTable(tableName: string, waiting: string): TableOptions {
  const policies: PolicyDef[] = [
    tenantPolicy,
    { name: "waiting", command: "select", roles: [workerGroup], using: waiting },
  ];
  return { tableName, rowLevelSecurity: "force", policies };
}

/** As `tenantTable`, readable and writable by workers too: outbox, inbox, claims, look-ups before a tenant is known. */
export function workerTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [tenantPolicy, workerPolicy] };
}
