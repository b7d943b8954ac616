import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { ProvisioningRun } from "./provisioning-run.entity.js";
import type { ProvisioningRunType } from "./provisioning-run.type.js";
import type { TenantState } from "./tenant.states.js";

const shownMembers = ["tenantId", "runId", "status"] as const;
type Shown = (typeof shownMembers)[number];

export type ProvisioningRunRow = RowOf<ProvisioningRun, Shown>;

export const provisioningRunColumns = columnsOf(ProvisioningRun, shownMembers);
export const readProvisioningRun = rowReader(ProvisioningRun);

/** The specification shows a run's state as the tenant's state that it leads to. */
const tenantStates: Readonly<Record<ProvisioningRun["status"], TenantState>> = {
  Running: "Provisioning",
  Completed: "Active",
  Failed: "ProvisioningFailed",
};

export function provisioningRunView(run: RecordOf<ProvisioningRun, Shown>): ProvisioningRunType {
  const { tenantId, runId, status } = run;
  return { tenantId, runId, status: tenantStates[status] };
}
