import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ProviderFilterInput } from "./provider.input.js";
import { providerCategories, providerStates } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { type ProviderRow, providerColumns, providerRowView } from "./provider.view.js";

export const sortedProviders = new SortedList<ProviderType, TenantStatement>({
  list: "providers",
  columns: {
    key: { column: "key", type: "text", unique: true, of: ({ key }) => key },
    displayName: { column: "display_name", type: "text", of: ({ displayName }) => displayName },
    registeredAt: { column: "registered_at", type: "timestamptz", of: ({ registeredAt }) => registeredAt },
  },
  id: { column: "provider_id", type: "uuid", of: ({ providerId }) => decodeId("prv", providerId) ?? "" },
  byDefault: "key",
  firstParameter: 4,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${providerColumns} from providers where tenant_id = scope.tenant
         and ($2::text is null or status = $2) and ($3::text is null or category = $3) ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists the providers of a tenant in pages. */
export class ProviderListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<ProviderFilterInput>): Promise<Connection<ProviderType>> {
    const tenant = tenantOf(context);
    const { status = null, category = null } = request.filter ?? {};
    const problems: InvalidEnumValue[] = [];
    if (status !== null && !Object.hasOwn(providerStates, status))
      problems.push({ pointer: "/filter/status", allowed: Object.keys(providerStates) });
    if (category !== null && !providerCategories.some((known) => known === category))
      problems.push({ pointer: "/filter/category", allowed: providerCategories });
    if (problems.length > 0) throw invalidEnumValue(problems);
    const page = sortedProviders.page(this.#cursors, { tenantId: tenant.tenantId, status, category }, request);
    const { reader } = this.#database;
    const rows = await reader.rows<ProviderRow>(page.statement, tenant, status, category, ...page.values);
    return page.connection(rows.map(providerRowView));
  }
}
