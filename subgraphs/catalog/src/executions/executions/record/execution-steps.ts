import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ExecutionPhase, ExecutionState } from "./execution.states.js";

/** The PostgreSQL channel that gets `<execution uuid> <status>` when a step is committed. */
export const executionChannel = "execution_changes";

/** One step of an execution, as it is stored. */
export interface ExecutionStep {
  readonly sequence: number;
  readonly status: ExecutionState;
  readonly phase: ExecutionPhase | null;
  /** ISO 8601. */
  readonly changedAt: string;
}

interface Move {
  /** The UUID. */
  readonly executionId: string;
  /** The SQL after `set`. Its values begin at `$3`. */
  readonly set: string;
  /** The SQL condition that the row must satisfy. */
  readonly when: string;
  readonly values: readonly unknown[];
}

/**
 * Moves an execution to another state and stores the step. Returns false, without any change, when `when` is not
 * satisfied.
 */
export async function moveExecution({ execute, tenant, notify }: Transaction, move: Move): Promise<boolean> {
  const [moved] = await execute<{ told: string }>(
    `with moved as (
       update executions set ${move.set}, sequence = sequence + 1
       where tenant_id = $1 and execution_id = $2 and ${move.when}
       returning tenant_id, execution_id, sequence, status, phase),
     noted as (
       insert into execution_changes (tenant_id, execution_id, sequence, status, phase)
       select tenant_id, execution_id, sequence, status, phase from moved)
     select execution_id || ' ' || status as told from moved`,
    [tenant.uuid, move.executionId, ...move.values],
  );
  if (moved) notify(executionChannel, moved.told);
  return moved !== undefined;
}

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
