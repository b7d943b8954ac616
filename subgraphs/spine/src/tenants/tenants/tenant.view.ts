import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { type TenantLimitValues, tenantLimits } from "@factory/schema/tenant-limits";
import { Tenant } from "./tenant.entity.js";
import type { TenantType } from "./tenant.type.js";

const shownMembers = [
  "tenantId",
  "name",
  "slug",
  "status",
  "editionCode",
  "createdAt",
  "subscriptionId",
  "ownerInvitationId",
  "limits",
] as const;

type Shown = (typeof shownMembers)[number];

/** All tenant columns. Statements in other slices pick those that they read. */
export type StoredTenant = RowOf<Tenant>;

export type TenantRow = RowOf<Tenant, Shown>;

export const tenantColumns = columnsOf(Tenant, shownMembers);
export const readTenant = rowReader(Tenant);

export function tenantView(tenant: RecordOf<Tenant, Shown>): TenantType {
  const { tenantId, name, slug, status, editionCode, createdAt, subscriptionId, ownerInvitationId } = tenant;
  const ids = { subscriptionId, ownerInvitationId };
  const limits = tenantLimitsView(storedLimits(tenant.limits));
  return { tenantId, name, slug, status, editionCode, createdAt: createdAt.toISOString(), ...ids, limits };
}

/** A transaction's rows have JSON text, because its connections leave JSON to the ORM. */
const storedLimits = (limits: Partial<TenantLimitValues> | string): Partial<TenantLimitValues> =>
  typeof limits === "string" ? JSON.parse(limits) : limits;

/** All limits for a tenant: those that were set, and the others' defaults. */
export function tenantLimitsView(storedLimits: Partial<TenantLimitValues>): TenantLimitValues {
  return {
    rateLimitFactor: storedLimits.rateLimitFactor ?? tenantLimits.rateLimitFactor.default,
    maxRunningExecutions: storedLimits.maxRunningExecutions ?? tenantLimits.maxRunningExecutions.default,
  };
}

/** The data in events about a tenant. It leaves out the owner's address, because other subgraphs store it. */
export function tenantFacts({ tenantId, name, slug, status, editionCode }: Tenant): Record<string, unknown> {
  return { tenantId, name, slug, status, editionCode };
}
