import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { newestFirst } from "./semantic-version.js";
import { Template } from "./template.entity.js";
import type { RegisterTemplateInput } from "./template.input.js";
import type { TemplateType } from "./template.type.js";
import { type TemplateVersionRow, templateVersionColumns, templateVersionView } from "./template-version.view.js";

const members = [
  ...["templateId", "name", "title", "description", "category", "owner", "tags", "status", "createdAt"],
] as const satisfies readonly (keyof Template)[];

export type TemplateRow = RowOf<Template, (typeof members)[number]> & { versions: TemplateVersionRow[] | null };

const readTemplate = rowReader(Template);

/** SQL: a template's columns with its versions. The table has the alias `template`. */
export const templateResource = `${columnsOf(Template, members)},
       (select json_agg(version) from (select ${templateVersionColumns} from template_versions version
          where version.tenant_id = template.tenant_id and version.template_id = template.template_id) version) as versions`;

// One JSON column, so that the driver parses one value instead of nine.
const templateById = keyStatement(
  "template_by_id",
  `select to_json(resource) as template from (
     select ${templateResource} from templates template where tenant_id = scope.tenant and template_id = $2) resource`,
);

/** Registers and reads templates. */
export class TemplateService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(tenant: Tenant, templateId: string): Promise<TemplateType | undefined> {
    const uuid = decodeId("tpl", templateId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<{ template: TemplateRow }>(templateById, tenant, uuid);
    return row && templateView(row.template);
  }

  /** Throws TEMPLATE_NOT_FOUND. */
  async get(context: RequestContext, templateId: string): Promise<TemplateType> {
    const template = await this.find(tenantOf(context), templateId);
    if (!template) throw unknownTemplate();
    return template;
  }

  /** Throws TEMPLATE_EXISTS. */
  async register(context: RequestContext, input: RegisterTemplateInput): Promise<TemplateType> {
    return withUniqueName(input.name, () =>
      idempotentMutation(this.#database, context, {
        field: "registerTemplate",
        arguments: input,
        commit: async ({ em, tenant, record }) => {
          const template = em.create(Template, {
            tenantId: tenant.tenantId,
            templateId: newId("tpl"),
            name: input.name,
            nameKey: input.name.toLowerCase(),
            title: input.title ?? null,
            description: input.description ?? null,
            category: input.category ?? null,
            owner: input.owner ?? null,
            tags: [...new Set(input.tags ?? [])],
            status: "Active",
            searchStale: true,
            createdAt: new Date(),
          });
          em.persist(template);
          const { templateId, name, category, owner, tags, status } = template;
          record({
            type: "TemplateRegistered",
            subject: `templates/${templateId}`,
            data: { templateId, name, category, owner, tags, status },
          });
          return {
            templateId,
            name,
            title: template.title,
            description: template.description,
            category,
            owner,
            tags,
            status,
            createdAt: template.createdAt.toISOString(),
            versions: [],
          };
        },
      }),
    );
  }
}

/** The answer for an id that does not exist, or that belongs to another tenant. */
export function unknownTemplate(): DomainError {
  return new DomainError("TEMPLATE_NOT_FOUND", {
    detail: "No template with this id exists in this tenant. List the templates to find the id.",
  });
}

/** Throws TEMPLATE_EXISTS when another template in the tenant has the name. */
export async function withUniqueName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedUnique(error) !== "templates_name") throw error;
    throw new DomainError("TEMPLATE_EXISTS", {
      detail: `A template with the name "${name}" exists already. Use another name. Upper and lower case count as equal.`,
    });
  }
}

export function templateView({ versions, ...row }: TemplateRow): TemplateType {
  const { createdAt, ...template } = readTemplate(row);
  return {
    ...template,
    createdAt: createdAt.toISOString(),
    versions: (versions ?? []).map(templateVersionView).sort(newestFirst),
  };
}
