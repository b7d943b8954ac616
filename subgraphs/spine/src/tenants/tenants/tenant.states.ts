import type { TenantStatus } from "@factory/schema/vocabularies/tenants";

/** Provisioning moves a tenant out of Provisioning; platform administrators make every other move. */
const tenantStates = {
  Provisioning: { next: ["Active", "ProvisioningFailed"], event: "TenantProvisioningStarted" },
  ProvisioningFailed: { next: ["Provisioning", "Archived"], event: "TenantProvisioningFailed" },
  Active: { next: ["Suspended", "Archived"], event: "TenantProvisioned" },
  Suspended: { next: ["Active", "Archived"], event: "TenantSuspended" },
  Archived: { next: [], event: "TenantArchived" },
} as const satisfies Record<TenantStatus, object>;

/** A tenant's states (spine specification, Tenants). */
export type TenantState = keyof typeof tenantStates;

/** The states in which provisioning may be requested. In Provisioning the run under way is returned. */
export const provisionableStates: readonly TenantState[] = ["Provisioning", "ProvisioningFailed"];
