import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { TemplateFilterInput } from "./template.input.js";
import { type TemplateRow, templateResource, templateView } from "./template.service.js";
import type { TemplateType } from "./template.type.js";

/** The sort columns of the list of templates. Names ignore case. */
export const sortedTemplates = new SortedList<TemplateType, TenantStatement>({
  list: "templates",
  columns: {
    name: { column: "name_key", type: "text", unique: true, of: ({ name }) => name.toLowerCase() },
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "template_id", type: "uuid", of: ({ templateId }) => decodeId("tpl", templateId) ?? "" },
  byDefault: "name",
  firstParameter: 7,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select to_json(resource) as template from (
         select ${templateResource} from templates template where tenant_id = scope.tenant
           and ($2::text is null or lower(category) = lower($2)) and ($3::text is null or lower(owner) = lower($3))
           and ($4::text is null or $4 = any(tags)) and ($5::text is null or starts_with(name_key, lower($5)))
           and ($6::text is null or status = $6) ${after}
         order by ${order} limit ${limit}) resource`,
    ),
});

/** Lists the templates of a tenant with filters, sorting and cursors. */
export class TemplateListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<TemplateFilterInput>): Promise<Connection<TemplateType>> {
    const tenant = tenantOf(context);
    const { category = null, owner = null, tag = null, namePrefix = null, status = null } = request.filter ?? {};
    const scope = { tenantId: tenant.tenantId, category, owner, tag, namePrefix, status };
    const { statement, values, connection } = sortedTemplates.page(this.#cursors, scope, request);
    const filters = [category, owner, tag, namePrefix, status];
    const { reader } = this.#database;
    const rows = await reader.rows<{ template: TemplateRow }>(statement, tenant, ...filters, ...values);
    return connection(rows.map(({ template }) => templateView(template)));
  }
}
