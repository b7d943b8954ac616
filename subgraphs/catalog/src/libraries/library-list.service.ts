import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { LibraryFilterInput } from "./library.input.js";
import { libraryColumnsWith } from "./library.service.js";
import type { LibraryConnection, LibraryType } from "./library.type.js";
import { type LibraryRow, libraryView } from "./library.view.js";

// the count stands beside the page, and alone where the page is empty
const libraryPage = tenantStatement(
  "library_page",
  `with listed as (
     select library.* from libraries library where tenant_id = scope.tenant
       and ($2::text is null or lower(area) = lower($2)) and ($3::text is null or lower(owner) = lower($3))
       and ($4::text is null or $4 = any(tags)) and ($5::text is null or status = $5)
       and ($6::text is null or starts_with(package_key, $6)))
   select counted.total::int, page.* from (select count(*) as total from listed) counted
   left join lateral (
     select ${libraryColumnsWith("true")} from listed library
     where $7::text is null or package_key > $7 order by package_key limit $8) page on true
   order by lower(page.package_name)`,
);

type PageRow = { total: number } & (LibraryRow | { library_id: null });

export class LibraryListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** Keyset on the package name: a library registered meanwhile appears where its name belongs. */
  async list(
    context: RequestContext,
    { first, after, filter }: PageRequest<LibraryFilterInput>,
  ): Promise<LibraryConnection> {
    const tenant = tenantOf(context);
    const size = pageSize(first);
    const { area = null, owner = null, tag = null, status = null, packageNamePrefix } = filter ?? {};
    const prefix = packageNamePrefix?.toLowerCase() ?? null;
    const list = { list: "libraries", tenant: tenant.tenantId, area, owner, tag, status, prefix };
    const start = after == null ? null : (this.#cursors.open(list, after) as string);
    const filters = [area, owner, tag, status, prefix];
    const rows = await this.#database.reader.rows<PageRow>(libraryPage, tenant, ...filters, start, size + 1);
    const libraries = rows.filter((row): row is { total: number } & LibraryRow => row.library_id !== null);
    const cursorOf = ({ packageName }: LibraryType) => this.#cursors.seal(list, packageName.toLowerCase());
    const connection = connectionOf(libraries.map(libraryView), { size, after, cursorOf });
    return { ...connection, totalCount: rows[0]?.total ?? 0 };
  }
}
