import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { parentFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { DependencyScanSummaryType } from "./record/dependency-scan.type.js";
import { readScan, type ScanSummaryRow, scanSummary, scanSummaryColumns } from "./record/dependency-scan.view.js";

const scanId: SortColumn<DependencyScanSummaryType> = {
  column: "dependency_scan_id",
  type: "uuid",
  unique: true,
  of: ({ dependencyScanId }) => decodeId("scn", dependencyScanId) ?? "",
};

export const sortedDependencyScans = new SortedList<DependencyScanSummaryType, TenantStatement>({
  list: "dependencyScans",
  // scan ids increase with time
  columns: { scannedAt: scanId },
  id: scanId,
  byDefault: "-scannedAt",
  filters: { templateVersionId: parentFilter("tpv", "template_version_id") },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${scanSummaryColumns} from dependency_scans
       where tenant_id = scope.tenant ${filters} ${after} order by ${order} limit ${limit}`,
    ),
});

/** Lists one template version's scans. */
export class DependencyScanListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(
    context: RequestContext,
    templateVersionId: string,
    request: PageRequest<never>,
  ): Promise<Connection<DependencyScanSummaryType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    const ofVersion = { ...request, filter: { templateVersionId } };
    return readPage(sortedDependencyScans, list, ofVersion, (row: ScanSummaryRow) => scanSummary(readScan(row)));
  }
}
