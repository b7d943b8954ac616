import { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ClientBase } from "pg";
import { FileContents } from "./file-contents.js";

/** A report run's content that can be downloaded, or should be. */
interface StoredReport {
  readonly tenantId: string;
  readonly reportRunId: string;
  /** Whether the folder has it with all its bytes. */
  readonly isPresent: boolean;
}

interface Row {
  readonly tenant_id: string;
  readonly run_id: string;
  readonly fence: number;
  readonly size_bytes: string;
}

const pageSize = 1000;
/** A page with the runs that have a content. Parameters: the key after which it begins (tenant, run), and its size. */
const runsWithContent = `select tenant_id, run_id, fence, size_bytes::text from spine.report_runs
  where status = 'Completed' and (expires_at is null or expires_at > now()) and (tenant_id, run_id) > ($1::uuid, $2::uuid)
  order by tenant_id, run_id limit $3`;

/** Looks in FILES_DIR for each Completed run's content. The client must see all tenants' rows. */
export async function* storedReports(client: ClientBase, filesDir: string): AsyncGenerator<StoredReport, void> {
  const contents = new FileContents(new PlatformFolder("FILES_DIR", filesDir));
  let after = { tenant_id: nilUuid, run_id: nilUuid };
  for (;;) {
    const { rows } = await client.query<Row>(runsWithContent, [after.tenant_id, after.run_id, pageSize]);
    for (const { tenant_id: tenant, run_id: run, fence, size_bytes: sizeBytes } of rows) {
      const content = await contents.open({ tenant, run, fence });
      await content?.close();
      const isPresent = content?.sizeBytes === Number(sizeBytes);
      yield { tenantId: encodeId("ten", tenant), reportRunId: encodeId("run", run), isPresent };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
