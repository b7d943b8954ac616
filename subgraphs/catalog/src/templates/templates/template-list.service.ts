import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { textCondition, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageBounds, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { pageOfVersions } from "../../ground/version-pages/page-of-versions.js";
import { newestFirst } from "./semantic-version.js";
import type { TemplateFilterInput } from "./template.input.js";
import { type TemplateRow, templateResource, templateView } from "./template.service.js";
import type { TemplateType } from "./template.type.js";
import type { TemplateVersionType } from "./template-version.type.js";

/** The template list's sort columns. Names ignore case. */
export const sortedTemplates = new SortedList<TemplateType, TenantStatement>({
  list: "templates",
  columns: {
    name: { column: "name_key", type: "text", unique: true, of: ({ name }) => name.toLowerCase() },
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "template_id", type: "uuid", of: ({ templateId }) => decodeId("tpl", templateId) ?? "" },
  byDefault: "name",
  filters: {
    category: textCondition((category) => `lower(category) = lower(${category})`),
    owner: textCondition((owner) => `lower(owner) = lower(${owner})`),
    tag: textCondition((tag) => `${tag} = any(tags)`),
    namePrefix: textCondition((prefix) => `starts_with(name_key, lower(${prefix}))`),
    status: textFilter("status"),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select to_json(resource) as template from (
         select ${templateResource} from templates template where tenant_id = scope.tenant
           ${filters} ${after}
         order by ${order} limit ${limit}) resource`,
    ),
});

/** Lists a tenant's templates with filters, sorting and cursors. */
export class TemplateListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<TemplateFilterInput>): Promise<Connection<TemplateType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedTemplates, list, request, ({ template }: { template: TemplateRow }) =>
      templateView(template),
    );
  }

  /** A page of a template's versions. */
  versionsOf(
    context: RequestContext,
    { templateId, versions }: TemplateType,
    bounds: PageBounds,
  ): Connection<TemplateVersionType> {
    const scope = { list: "templateVersions", tenantId: tenantOf(context).tenantId, templateId };
    return pageOfVersions(versions, bounds, { cursors: this.#cursors, scope, compare: newestFirst });
  }
}
