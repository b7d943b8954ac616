/** Who moves a tenant: provisioning from Provisioning, platform administrators otherwise. */
export const tenantStates = {
  Provisioning: { next: ["Active", "ProvisioningFailed"], event: "TenantProvisioningStarted" },
  ProvisioningFailed: { next: ["Provisioning", "Archived"], event: "TenantProvisioningFailed" },
  Active: { next: ["Suspended", "Archived"], event: "TenantProvisioned" },
  Suspended: { next: ["Active", "Archived"], event: "TenantSuspended" },
  Archived: { next: [], event: "TenantArchived" },
} as const;

export type TenantState = keyof typeof tenantStates;

/** States in which provisioning may be asked for; in Provisioning it answers the run under way. */
export const provisionableStates: readonly TenantState[] = ["Provisioning", "ProvisioningFailed"];
