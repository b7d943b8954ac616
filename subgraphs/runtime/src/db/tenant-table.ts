import type { PolicyDef } from "@mikro-orm/core";
import { workerGroup } from "../connections/database-roles.js";

const sameTenant = "tenant_id = nullif(current_setting('app.tenant', true), '')::uuid";
const tenantPolicy = { name: "tenant", using: sameTenant, check: sameTenant };
const isPlatform = "current_setting('app.platform', true) = 'on'";
const platformPolicy = { name: "platform", using: isPlatform, check: isPlatform };
/** Opens a table to the workers where rows must be read before their tenant is known. */
const workerPolicy = { name: "worker", roles: [workerGroup], using: "true", check: "true" };

interface TableOptions {
  tableName: string;
  rowLevelSecurity: "force";
  policies: PolicyDef[];
}

/**
 * Entity options for a table whose rows are visible to their tenant only. A transaction without a tenant sees no rows.
 */
export function tenantTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [tenantPolicy] };
}

/** As `tenantTable`, and open to the platform's administrators, who work across tenants. */
export function platformTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [tenantPolicy, workerPolicy, platformPolicy] };
}

/**
 * Entity options for a table whose rows belong to the platform and not to a tenant. Only platform administrators and
 * workers write it; `readers` tells who reads it.
 */
export function platformOwnedTable(tableName: string, readers: "everybody" | "platform"): TableOptions {
  const policies = [workerPolicy, platformPolicy];
  const open = { name: "readable", command: "select", using: "true" } as const;
  return { tableName, rowLevelSecurity: "force", policies: readers === "everybody" ? [...policies, open] : policies };
}

/** Entity options for a table that only workers read and write. */
export function workerOnlyTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [workerPolicy] };
}

/** As `tenantTable`; workers also see and delete expired rows. */
export function expiringTenantTable(tableName: string, expiredRows: string): TableOptions {
  const policies = [tenantPolicy, { name: "expired", roles: [workerGroup], using: expiredRows }];
  return { tableName, rowLevelSecurity: "force", policies };
}

/**
 * As `tenantTable`; workers also read all tenants' rows that wait for a job (see `Sweeper`). With `endedRows`, they
 * also see and delete the rows that have ended (see `Retention`).
 */
export function sweptTenantTable(tableName: string, waiting: string, endedRows?: string): TableOptions {
  const policies: PolicyDef[] = [
    tenantPolicy,
    { name: "waiting", command: "select", roles: [workerGroup], using: waiting },
  ];
  if (endedRows !== undefined) policies.push({ name: "expired", roles: [workerGroup], using: endedRows });
  return { tableName, rowLevelSecurity: "force", policies };
}

/** The same table, whose rows platform administrators also read, who work across tenants. */
export function readByPlatform(table: TableOptions): TableOptions {
  const platform: PolicyDef = { name: "platform", command: "select", using: isPlatform };
  return { ...table, policies: [...table.policies, platform] };
}

/** The same table, in which workers also find all tenants' rows before a tenant is known. `rows` says which ones. */
export function withLookup(table: TableOptions, rows: string): TableOptions {
  const lookup: PolicyDef = { name: "lookup", command: "select", roles: [workerGroup], using: rows };
  return { ...table, policies: [...table.policies, lookup] };
}

/**
 * As `tenantTable`; workers also read and write all rows: outbox, inbox, claims, and lookups before a tenant is known.
 */
export function workerTable(tableName: string): TableOptions {
  return { tableName, rowLevelSecurity: "force", policies: [tenantPolicy, workerPolicy] };
}
