import type { Database, Transaction } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { connectionOf, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { ScaffoldFileConnection, ScaffoldFileType } from "./scaffold-file.type.js";

const outputExists = tenantStatement(
  "scaffold_output_exists",
  "select true as found from executions where tenant_id = scope.tenant and scaffold_output_id = $2",
);

const filesAfter = tenantStatement(
  "scaffold_files_after",
  `select path, change, executable, size, blob_sha as "blobSha" from scaffold_files
   where tenant_id = scope.tenant and scaffold_output_id = $2 and path > $3 order by path limit $4`,
);

export interface ScaffoldFilePageRequest {
  readonly scaffoldOutputId: string;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Which files of the target an execution made, changed, left and removed. */
export class ScaffoldFileService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: ScaffoldFilePageRequest): Promise<ScaffoldFileConnection> {
    const { scaffoldOutputId, first, after } = request;
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const scope = { list: "scaffoldFiles", tenantId: tenant.tenantId, scaffoldOutputId };
    const start = after == null ? "" : String(this.#cursors.open(scope, after));
    const uuid = decodeId("sca", scaffoldOutputId);
    const { reader } = this.#database;
    if (uuid === undefined || !(await reader.row(outputExists, tenant, uuid)))
      throw new DomainError("NOT_FOUND", { detail: "No such scaffold output in this tenant." });
    const rows = await reader.rows<ScaffoldFileType>(filesAfter, tenant, uuid, start, size + 1);
    return connectionOf(rows, { size, after, cursorOf: ({ path }) => this.#cursors.seal(scope, path) });
  }
}

/** With the transaction that completes the execution; one statement for all files. */
export async function writeScaffoldFiles(
  { execute, tenant }: Transaction,
  scaffoldOutputId: string,
  files: readonly ScaffoldFileType[],
): Promise<void> {
  await execute(
    `insert into scaffold_files (tenant_id, scaffold_output_id, path, change, executable, size, blob_sha)
     select $1, $2, path, change, executable, size, "blobSha"
     from jsonb_to_recordset($3::jsonb) as file(path text, change text, executable boolean, size integer, "blobSha" text)`,
    [tenant.uuid, decodeId("sca", scaffoldOutputId), JSON.stringify(files)],
  );
}
