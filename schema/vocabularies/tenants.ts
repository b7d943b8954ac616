import { type ValueOf, vocabulary } from "./vocabulary.js";

export const tenantStatuses = vocabulary("TenantStatus", "The states of a tenant.", {
  Provisioning: "The tenant is being set up.",
  ProvisioningFailed: "A step of the set-up has failed. It can be started again.",
  Active: "The tenant can be used.",
  Suspended: "The tenant cannot be used until a platform administrator activates it.",
  Archived: "The tenant can never be used again.",
});
export type TenantStatus = ValueOf<typeof tenantStatuses>;
