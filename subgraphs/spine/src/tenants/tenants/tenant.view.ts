import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type TenantLimitValues, tenantLimits } from "@factory/schema/tenant-settings";
import type { Tenant } from "./tenant.entity.js";
import type { TenantState } from "./tenant.states.js";
import type { TenantType } from "./tenant.type.js";

/** A row of `tenants` as PostgreSQL returns it. */
export interface TenantRow {
  tenant_id: string;
  name: string;
  slug: string;
  status: TenantState;
  edition_code: string;
  created_at: Date | string;
  subscription_id: string | null;
  owner_invitation_id: string | null;
  /** JSON text in a transaction, whose connections leave JSON to the ORM. */
  limits: Partial<TenantLimitValues> | string;
}

export const tenantColumns =
  "tenant_id, name, slug, status, edition_code, created_at, subscription_id, owner_invitation_id, limits";

export function tenantView(row: TenantRow): TenantType {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    name: row.name,
    slug: row.slug,
    status: row.status,
    editionCode: row.edition_code,
    createdAt: new Date(row.created_at).toISOString(),
    subscriptionId: row.subscription_id && encodeId("sub", row.subscription_id),
    ownerInvitationId: row.owner_invitation_id && encodeId("inv", row.owner_invitation_id),
    limits: tenantLimitsView(typeof row.limits === "string" ? JSON.parse(row.limits) : row.limits),
  };
}

export function tenantEntityView(tenant: Tenant): TenantType {
  const { tenantId, name, slug, status, editionCode, createdAt, subscriptionId, ownerInvitationId } = tenant;
  const ids = { subscriptionId, ownerInvitationId };
  const limits = tenantLimitsView(tenant.limits);
  return { tenantId, name, slug, status, editionCode, createdAt: createdAt.toISOString(), ...ids, limits };
}

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
