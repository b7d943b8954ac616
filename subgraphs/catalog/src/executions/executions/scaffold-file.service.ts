import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { parentFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ScaffoldFileConnection, ScaffoldFileType } from "./record/scaffold-file.type.js";

const outputExists = tenantStatement(
  "scaffold_output_exists",
  "select true as found from executions where tenant_id = scope.tenant and scaffold_output_id = $2",
);

const path: SortColumn<ScaffoldFileType> = { column: "path", type: "text", unique: true, of: (file) => file.path };

export const sortedScaffoldFiles = new SortedList<ScaffoldFileType, TenantStatement>({
  list: "scaffoldFiles",
  columns: { path },
  id: path,
  byDefault: "path",
  filters: { scaffoldOutputId: parentFilter("sca", "scaffold_output_id") },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select path, change, executable, size, blob_sha as "blobSha" from scaffold_files
       where tenant_id = scope.tenant ${filters} ${after} order by ${order} limit ${limit}`,
    ),
});

interface ScaffoldFilePageRequest extends PageRequest<never> {
  readonly scaffoldOutputId: string;
}

/** Lists the files that an execution created, updated, left unchanged or deleted in its target. */
export class ScaffoldFileService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: ScaffoldFilePageRequest): Promise<ScaffoldFileConnection> {
    const { scaffoldOutputId } = request;
    const tenant = tenantOf(context);
    const uuid = decodeId("sca", scaffoldOutputId);
    const { reader } = this.#database;
    if (uuid === undefined || !(await reader.row(outputExists, tenant, uuid)))
      throw new DomainError("NOT_FOUND", {
        detail:
          "No scaffold output with this id exists in this tenant. Use the scaffoldOutputId of a completed execution.",
      });
    const list = { reader, cursors: this.#cursors, tenant };
    return readPage(
      sortedScaffoldFiles,
      list,
      { ...request, filter: { scaffoldOutputId } },
      (file: ScaffoldFileType) => file,
    );
  }
}
