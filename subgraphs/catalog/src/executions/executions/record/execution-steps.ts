import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { RunTable } from "@factory/runtime/runs/run-table";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Execution } from "./execution.entity.js";
import type { ExecutionPhase, ExecutionState } from "./execution.states.js";
import { ExecutionChange } from "./execution-change.entity.js";

/** One execution step, as it is stored. */
export interface ExecutionStep {
  readonly sequence: number;
  readonly status: ExecutionState;
  readonly phase: ExecutionPhase | null;
  /** ISO 8601. */
  readonly changedAt: string;
}

const stepColumns = columnsOf(ExecutionChange, ["tenantId", "executionId", "sequence", "status", "phase"]);

/** The executions table. An execution's steps are rows of their own. */
export const executionTable = new RunTable<Pick<RowOf<Execution>, "execution_id">, ExecutionState>({
  table: "executions",
  key: "execution_id",
  prefix: "exe",
  channel: "execution_changes",
  counted: "sequence = sequence + 1",
  noted: `insert into execution_changes (${stepColumns}) select ${stepColumns} from moved`,
  returned: stepColumns,
});

const stepsAfter = tenantStatement(
  "execution_steps_after",
  `select sequence, status, phase, changed_at from execution_changes
   where tenant_id = scope.tenant and execution_id = $2 and sequence > $3 order by sequence limit 100`,
);

interface StepRow extends Pick<ExecutionStep, "sequence" | "status" | "phase"> {
  changed_at: Date;
}

/** Reads up to 100 steps after a sequence number. `executionId` is the UUID. */
export async function readSteps(
  reader: TenantReader,
  tenant: Tenant,
  { executionId, after }: { executionId: string; after: number },
): Promise<ExecutionStep[]> {
  const rows = await reader.rows<StepRow>(stepsAfter, tenant, executionId, after);
  return rows.map(({ changed_at, ...step }) => ({ ...step, changedAt: changed_at.toISOString() }));
}
