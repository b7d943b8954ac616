import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ProviderFilterInput } from "./provider.input.js";
import type { ProviderType } from "./provider.type.js";
import { type ProviderRow, providerColumns, providerView, readProvider } from "./provider.view.js";

export const sortedProviders = new SortedList<ProviderType, TenantStatement>({
  list: "providers",
  columns: {
    key: { column: "key", type: "text", unique: true, of: ({ key }) => key },
    displayName: { column: "display_name", type: "text", of: ({ displayName }) => displayName },
    registeredAt: { column: "registered_at", type: "timestamptz", of: ({ registeredAt }) => registeredAt },
  },
  id: { column: "provider_id", type: "uuid", of: ({ providerId }) => decodeId("prv", providerId) ?? "" },
  byDefault: "key",
  filters: {
    status: textFilter("status"),
    category: textFilter("category"),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${providerColumns} from providers where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's providers in pages. */
export class ProviderListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<ProviderFilterInput>): Promise<Connection<ProviderType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedProviders, list, request, (row: ProviderRow) => providerView(readProvider(row)));
  }
}
