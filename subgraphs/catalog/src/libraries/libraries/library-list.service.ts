import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, textCondition } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageBounds, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { pageOfVersions } from "../../ground/version-pages/page-of-versions.js";
import type { LibraryFilterInput } from "./library.input.js";
import { type LibraryConnection, LibraryStatus, type LibraryType, type LibraryVersionType } from "./library.type.js";
import { highestFirst, type LibraryRow, libraryView } from "./library.view.js";
import { libraryColumnsWith } from "./library-columns.js";

/** The list's columns and statement. Each row has the total; an empty page is one row with the total alone. */
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
  filters: {
    area: textCondition((area) => `lower(area) = lower(${area})`),
    owner: textCondition((owner) => `lower(owner) = lower(${owner})`),
    tag: textCondition((tag) => `${tag} = any(tags)`),
    status: enumFilter(LibraryStatus, "status"),
    prefix: textCondition((prefix) => `starts_with(package_key, ${prefix})`),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      // not materialized, so that the page is read from its index and only the count reads all libraries
      `with listed as not materialized (
         select library.* from libraries library where tenant_id = scope.tenant ${filters})
       select counted.total::int, page.* from (select count(*) as total from listed) counted
       left join lateral (
         select ${libraryColumnsWith("true")}, row_number() over (order by ${order}) as place
         from (select * from listed where true ${after} order by ${order} limit ${limit}) library) page on true
       order by page.place`,
    ),
});

type PageRow = { total: number } & (LibraryRow | { library_id: null });

/** Lists a tenant's libraries page by page. */
export class LibraryListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<LibraryFilterInput>): Promise<LibraryConnection> {
    const tenant = tenantOf(context);
    const { packageNamePrefix, ...filter } = request.filter ?? {};
    const listRequest = { ...request, filter: { ...filter, prefix: packageNamePrefix?.toLowerCase() } };
    const page = sortedLibraries.page(this.#cursors, { tenant: tenant.tenantId }, listRequest);
    const rows = await this.#database.reader.rows<PageRow>(page.statement, tenant, ...page.values);
    const libraries = rows.filter((row): row is { total: number } & LibraryRow => row.library_id !== null);
    return { ...page.connection(libraries.map(libraryView)), totalCount: rows[0]?.total ?? 0 };
  }

  /** A page of a library's versions. */
  versionsOf(
    context: RequestContext,
    { libraryId, versions }: LibraryType,
    bounds: PageBounds,
  ): Connection<LibraryVersionType> {
    const scope = { list: "libraryVersions", tenantId: tenantOf(context).tenantId, libraryId };
    return pageOfVersions(versions, bounds, { cursors: this.#cursors, scope, compare: highestFirst });
  }
}
