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

/** All columns of a tenant. Statements of other slices pick those that they read. */
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

/** The rows of a transaction have JSON text, because its connections leave JSON to the ORM. */
const storedLimits = (limits: Partial<TenantLimitValues> | string): Partial<TenantLimitValues> =>
  typeof limits === "string" ? JSON.parse(limits) : limits;

/** All limits of a tenant: those that were set, and the defaults of the others. */
export function tenantLimitsView(stored: Partial<TenantLimitValues>): TenantLimitValues {
  return {
    rateLimitFactor: stored.rateLimitFactor ?? tenantLimits.rateLimitFactor.default,
    maxRunningExecutions: stored.maxRunningExecutions ?? tenantLimits.maxRunningExecutions.default,
  };
}

/** The data of events about a tenant. It leaves out the address of the owner, because other subgraphs store it. */
export function tenantFacts({ tenantId, name, slug, status, editionCode }: Tenant): Record<string, unknown> {
  return { tenantId, name, slug, status, editionCode };
}
