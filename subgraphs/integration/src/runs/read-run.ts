import { type TenantReader, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type RunRecord, type RunRow, runRecord } from "./run-record.js";

const runById = tenantStatement(
  "run_by_id",
  "select run.* from runs run where tenant_id = scope.tenant and run_id = $2",
);

/** The run of the tenant with this id, if there is one. */
export async function readRun(reader: TenantReader, tenant: Tenant, runId: string): Promise<RunRecord | undefined> {
  const uuid = decodeId("run", runId);
  const found = uuid === undefined ? undefined : await reader.row<RunRow>(runById, tenant, uuid);
  return found && runRecord(found);
}
