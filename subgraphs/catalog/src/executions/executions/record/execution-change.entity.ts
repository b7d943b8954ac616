import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { ExecutionPhase } from "@factory/schema/vocabularies/executions";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ExecutionState } from "./execution.states.js";

/** One execution step. `sequence` starts at 1 and has no gaps. */
@Entity(tenantTable("execution_changes"))
export class ExecutionChange {
  [PrimaryKeyProp]?: ["tenantId", "executionId", "sequence"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("exe") })
  executionId: string;

  @PrimaryKey({ type: "integer" })
  sequence: number;

  @Property({ type: "text" })
  status: ExecutionState;

  @Property({ type: "text", nullable: true })
  phase: ExecutionPhase | null;

  @Property({ type: "timestamptz", defaultRaw: "clock_timestamp()" })
  changedAt: Date;
}
