import { ApiClient } from "./api-clients/api-client.entity.js";
import { SigningKey } from "./authorization-server/signing-key.entity.js";
import { Migration20261121070911_first } from "./migrations/Migration20261121070911_first.js";
import { Migration20261121075523_retention } from "./migrations/Migration20261121075523_retention.js";
import { PlanSubscription } from "./plan-subscriptions/plan-subscription.entity.js";
import { ProvisioningRun } from "./tenants/provisioning-run.entity.js";
import { Tenant } from "./tenants/tenant.entity.js";

export const spineTables = {
  entities: [Tenant, ProvisioningRun, PlanSubscription, ApiClient, SigningKey],
  migrations: [Migration20261121070911_first, Migration20261121075523_retention],
};
