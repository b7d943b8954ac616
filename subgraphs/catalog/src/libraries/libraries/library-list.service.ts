import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { LibraryFilterInput } from "./library.input.js";
import { type LibraryConnection, LibraryStatus, type LibraryType } from "./library.type.js";
import { type LibraryRow, libraryView } from "./library.view.js";
import { libraryColumnsWith } from "./library-columns.js";

/** The columns and the statement of the list. Each row has the total; an empty page is one row with the total alone. */
export const sortedLibraries = new SortedList<LibraryType, TenantStatement>({
  list: "libraries",
  columns: {
    packageName: {
      column: "package_key",
      type: "text",
      unique: true,
      of: ({ packageName }) => packageName.toLowerCase(),
    },
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "library_id", type: "uuid", of: ({ libraryId }) => decodeId("lib", libraryId) ?? "" },
  byDefault: "packageName",
  firstParameter: 7,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      // not materialized, so that the page is read from its index and only the count reads all libraries
      `with listed as not materialized (
         select library.* from libraries library where tenant_id = scope.tenant
           and ($2::text is null or lower(area) = lower($2)) and ($3::text is null or lower(owner) = lower($3))
           and ($4::text is null or $4 = any(tags)) and ($5::text is null or status = $5)
           and ($6::text is null or starts_with(package_key, $6)))
       select counted.total::int, page.* from (select count(*) as total from listed) counted
       left join lateral (
         select ${libraryColumnsWith("true")}, row_number() over (order by ${order}) as place
         from (select * from listed where true ${after} order by ${order} limit ${limit}) library) page on true
       order by page.place`,
    ),
});

type PageRow = { total: number } & (LibraryRow | { library_id: null });

/** Lists the libraries of a tenant page by page. */
export class LibraryListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<LibraryFilterInput>): Promise<LibraryConnection> {
    const tenant = tenantOf(context);
    const { area = null, owner = null, tag = null, status = null, packageNamePrefix } = request.filter ?? {};
    if (status !== null && !Object.hasOwn(LibraryStatus, status))
      throw invalidEnumValue([{ pointer: "/filter/status", allowed: Object.keys(LibraryStatus) }]);
    const prefix = packageNamePrefix?.toLowerCase() ?? null;
    const scope = { tenant: tenant.tenantId, area, owner, tag, status, prefix };
    const { statement, values, connection } = sortedLibraries.page(this.#cursors, scope, request);
    const filters = [area, owner, tag, status, prefix];
    const rows = await this.#database.reader.rows<PageRow>(statement, tenant, ...filters, ...values);
    const libraries = rows.filter((row): row is { total: number } & LibraryRow => row.library_id !== null);
    return { ...connection(libraries.map(libraryView)), totalCount: rows[0]?.total ?? 0 };
  }
}
