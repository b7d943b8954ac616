import { keyStatement } from "@factory/runtime/db/key-statement";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type RunRecord, type RunRow, type RunStep, runRecord, stepsOf } from "./run-record.js";

const runById = keyStatement("run_by_id", "select run.* from runs run where tenant_id = scope.tenant and run_id = $2");

async function readRow(reader: TenantReader, tenant: Tenant, runId: string): Promise<RunRow | undefined> {
  const uuid = decodeId("run", runId);
  return uuid === undefined ? undefined : reader.row<RunRow>(runById, tenant, uuid);
}

/** The tenant's run with this id, if there is one. */
export async function readRun(reader: TenantReader, tenant: Tenant, runId: string): Promise<RunRecord | undefined> {
  const row = await readRow(reader, tenant, runId);
  return row && runRecord(row);
}

/** The states that a run has reached, oldest first; none when the run does not exist. */
export async function readSteps(reader: TenantReader, tenant: Tenant, runId: string): Promise<RunStep[]> {
  const row = await readRow(reader, tenant, runId);
  return row ? stepsOf(row) : [];
}
