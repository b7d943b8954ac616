import { keyStatement } from "@factory/runtime/db/key-statement";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type RunRecord, type RunRow, runRecord } from "./run-record.js";

const runById = keyStatement(
  "report_run_by_id",
  "select run.* from report_runs run where tenant_id = scope.tenant and run_id = $2",
);

/** The tenant's run with this id, if there is one. */
export async function readRun(
  reader: TenantReader,
  tenant: Tenant,
  reportRunId: string,
): Promise<RunRecord | undefined> {
  const uuid = decodeId("run", reportRunId);
  const row = uuid === undefined ? undefined : await reader.row<RunRow>(runById, tenant, uuid);
  return row && runRecord(row);
}
