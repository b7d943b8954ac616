import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { closedSetProblem } from "../closed-set.js";
import type { ProviderFilterInput } from "./provider.input.js";
import { providerCategories } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { type ProviderRow, providerColumns, providerRowView } from "./provider.view.js";

const providersAfter = tenantStatement(
  "providers_after",
  `select ${providerColumns} from providers where tenant_id = scope.tenant
     and ($2::text is null or status = $2) and ($3::text is null or category = $3)
     and ($4::text is null or key > $4)
   order by key limit $5`,
);

/** By key. */
export class ProviderListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<ProviderFilterInput>): Promise<Connection<ProviderType>> {
    const { first, after, filter } = request;
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const { status = null, category = null } = filter ?? {};
    if (category !== null && !providerCategories.some((known) => known === category))
      throw closedSetProblem([{ pointer: "/filter/category", allowed: providerCategories }]);
    const scope = { list: "providers", tenantId: tenant.tenantId, status, category };
    const start = after == null ? null : String(this.#cursors.open(scope, after));
    const { reader } = this.#database;
    const rows = await reader.rows<ProviderRow>(providersAfter, tenant, status, category, start, size + 1);
    const cursorOf = ({ key }: ProviderType) => this.#cursors.seal(scope, key);
    return connectionOf(rows.map(providerRowView), { size, after, cursorOf });
  }
}
