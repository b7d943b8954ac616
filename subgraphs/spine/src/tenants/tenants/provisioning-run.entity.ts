import { readByPlatform, sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: the run is in the state that only its job can end. */
export const runningCondition = "status = 'Running'";

/** One execution of a tenant's provisioning steps. A tenant has at most one Running run. */
@Entity(readByPlatform(sweptTenantTable("provisioning_runs", runningCondition)))
@Index({
  name: "provisioning_runs_waiting",
  expression: `create index provisioning_runs_waiting on provisioning_runs (run_id) where ${runningCondition}`,
})
@Index({ name: "provisioning_runs_by_id", properties: ["runId"] })
@Unique({ name: "provisioning_runs_running", properties: ["tenantId"], where: "status = 'Running'" })
export class ProvisioningRun {
  [PrimaryKeyProp]?: ["tenantId", "runId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("run") })
  runId: string;

  @Property({ type: "text" })
  status: "Running" | "Completed" | "Failed";

  /** Names for the steps whose effect is committed. */
  @Property({ type: "text[]" })
  completedSteps: string[];

  @Property({ type: "timestamptz" })
  requestedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  endedAt: Date | null;
}
