import { failpoint } from "@factory/runtime/faults/failpoint";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ContentStore } from "../contents/content-store.js";
import type { RunPayload } from "../runs/run-job.js";
import { expireRun } from "../runs/run-moves.js";
import { runTable } from "../runs/run-record.js";

/** Expires a run whose time has come, and then removes its content. The sweep removes it if the process dies between. */
export async function expireContent(
  database: Database,
  contents: ContentStore,
  { tenantId, reportRunId }: RunPayload,
): Promise<void> {
  const tenant = tenantWithId(tenantId);
  const cause = { trace: continueTrace(undefined), actorId: "system" };
  const expiredRun = await database.transaction(tenant, cause, (transaction) =>
    expireRun(transaction, reportRunId, new Date()),
  );
  failpoint("reports.expired");
  if (expiredRun)
    await contents.remove({ tenant: tenant.uuid, run: runTable.uuid(reportRunId), fence: expiredRun.fence });
}
