import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EditionCatalog } from "../editions/edition-catalog.js";
import { completeProvisioningJob, ProvisioningCompletion } from "./complete-provisioning.js";
import { ProvisioningService } from "./provisioning.service.js";
import { ProvisioningRun } from "./provisioning-run.entity.js";
import { ProvisioningRunner, provisionTenantJob, waitingProvisioningRuns } from "./provisioning-runner.js";
import { ProvisioningSteps } from "./provisioning-step.js";
import { Tenant } from "./tenant.entity.js";
import { TenantResolver } from "./tenant.resolver.js";
import { TenantService } from "./tenant.service.js";
import { TenantLifecycleService } from "./tenant-lifecycle.service.js";
import { TenantLimitsService } from "./tenant-limits.service.js";

/** Tenants and their provisioning. */
export const tenants: SliceModule = {
  slice: "tenants",
  entities: [Tenant, ProvisioningRun],
  foreignKeys: {
    "tenants.subscription_id": { to: null, why: "A tenant can exist without a plan subscription." },
    "tenants.owner_invitation_id": { to: null, why: "History: the first invitation of the owner." },
  },
  jobs: [provisionTenantJob, completeProvisioningJob],
  events: [
    "TenantRegistered",
    "TenantProvisioningStarted",
    "TenantProvisioned",
    "TenantProvisioningFailed",
    "TenantSuspended",
    "TenantResumed",
    "TenantArchived",
    "TenantLimitsUpdated",
  ],
  waitingRows: [waitingProvisioningRuns],
  start({ database, jobs, cursors, logger, work, onStarted }, services) {
    services.add(new TenantService(database, cursors, services.get(EditionCatalog)));
    services.add(new TenantLifecycleService(database));
    services.add(new TenantLimitsService(database));
    services.add(new ProvisioningService(database, jobs));
    const steps = services.add(new ProvisioningSteps()).all;
    const runner = new ProvisioningRunner(database, steps);
    work(provisionTenantJob, (payload, attempt) => runner.run(payload, attempt), runner);
    const completion = new ProvisioningCompletion(database, steps, logger);
    work(completeProvisioningJob, (_, attempt) => completion.run(attempt), maintenance);
    onStarted(() => completion.request(jobs));
  },
  resolvers: (get) => [
    new TenantResolver(
      get(TenantService),
      get(TenantLifecycleService),
      get(ProvisioningService),
      get(TenantLimitsService),
    ),
  ],
  links: {
    "ProvisioningRun.runId": { to: null, why: "The id of the run itself." },
    "Tenant.subscriptionId": { to: null, why: "The field planSubscription holds the object." },
    "ProvisioningRun.tenantId": { to: "Tenant" },
    "Tenant.ownerInvitationId": { to: "Invitation" },
  },
  references(get) {
    const service = get(TenantService);
    const provisioning = get(ProvisioningService);
    return {
      ProvisioningRun: {
        id: { prefix: "run", field: "runId" },
        // as for its tenant
        auth: {},
        resolve: ({ runId = "" }, context) => provisioning.find(context, runId),
      },
      Tenant: {
        id: { prefix: "ten", field: "tenantId" },
        // no scope is needed: a tenant's tokens contain its own facts
        auth: {},
        resolve: ({ tenantId = "" }, context) => service.find(context, tenantId),
      },
    };
  },
};
