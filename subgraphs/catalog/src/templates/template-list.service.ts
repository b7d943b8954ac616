import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TemplateFilterInput } from "./template.input.js";
import { type TemplateRow, templateResource, templateView } from "./template.service.js";
import type { TemplateType } from "./template.type.js";

const templatesAfter = tenantStatement(
  "templates_after",
  `select to_json(resource) as template from (
     select ${templateResource} from templates template where tenant_id = scope.tenant
       and ($2::text is null or lower(category) = lower($2)) and ($3::text is null or lower(owner) = lower($3))
       and ($4::text is null or $4 = any(tags)) and ($5::text is null or starts_with(name_key, lower($5)))
       and ($6::text is null or (name_key, template_id) > ($6, $7::uuid))
     order by name_key, template_id limit $8) resource`,
);

/** By name, ignoring case. */
export class TemplateListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<TemplateFilterInput>): Promise<Connection<TemplateType>> {
    const { first, after, filter } = request;
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const { category = null, owner = null, tag = null, namePrefix = null } = filter ?? {};
    const scope = { list: "templates", tenantId: tenant.tenantId, category, owner, tag, namePrefix };
    const [nameKey, uuid] = after == null ? [null, null] : (this.#cursors.open(scope, after) as [string, string]);
    const filters = [category, owner, tag, namePrefix, nameKey, uuid];
    const { reader } = this.#database;
    const rows = await reader.rows<{ template: TemplateRow }>(templatesAfter, tenant, ...filters, size + 1);
    const cursorOf = ({ name, templateId }: TemplateType) =>
      this.#cursors.seal(scope, [name.toLowerCase(), decodeId("tpl", templateId) ?? ""]);
    return connectionOf(
      rows.map(({ template }) => templateView(template)),
      { size, after, cursorOf },
    );
  }
}
