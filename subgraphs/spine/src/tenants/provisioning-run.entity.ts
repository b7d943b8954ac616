import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** One walk through the provisioning steps of a tenant; at most one is Running. */
@Entity(tenantTable("provisioning_runs"))
@Unique({ name: "provisioning_runs_running", properties: ["tenantId"], where: "status = 'Running'" })
export class ProvisioningRun {
  [PrimaryKeyProp]?: ["tenantId", "runId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("run") })
  runId: string;

  @Property({ type: "text" })
  status: "Running" | "Completed" | "Failed";

  /** Names of the steps whose effect is committed. */
  @Property({ type: "text[]" })
  completedSteps: string[];

  @Property({ type: "timestamptz" })
  requestedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  endedAt: Date | null;
}
