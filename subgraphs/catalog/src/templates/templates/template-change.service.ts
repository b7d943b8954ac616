import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { Template } from "./template.entity.js";
import type { UpdateTemplateInput } from "./template.input.js";
import { type TemplateService, unknownTemplate, withUniqueName } from "./template.service.js";
import type { TemplateType } from "./template.type.js";

const members = ["name", "title", "description", "category", "owner", "tags"] as const;

type Changes = Partial<Pick<Template, (typeof members)[number] | "nameKey">>;

/** Changes, archives and restores templates. */
export class TemplateChangeService {
  readonly #database: Database;
  readonly #templates: TemplateService;

  constructor(database: Database, templates: TemplateService) {
    this.#database = database;
    this.#templates = templates;
  }

  /** Changes the given members. Throws TEMPLATE_NOT_FOUND and TEMPLATE_EXISTS. */
  update(context: RequestContext, templateId: string, input: UpdateTemplateInput): Promise<TemplateType> {
    if (input.name === null)
      throw inputProblem("VALIDATION_FAILED", {
        pointer: "/name",
        code: "REQUIRED",
        detail: "A template must have a name. Leave the member out to keep the name.",
      });
    return withUniqueName(input.name ?? "", () =>
      this.#change(context, { field: "updateTemplate", templateId, input }, (template, { em, record }) => {
        const changes = changesOf(input);
        const changedNames = members.filter((name) => name in changes && !isSame(changes[name], template[name]));
        if (changedNames.length === 0) return;
        em.assign(template, { ...changes, searchStale: true });
        const { name, title, description, category, owner, tags } = template;
        record({
          type: "TemplateUpdated",
          subject: `templates/${templateId}`,
          data: { templateId, name, title, description, category, owner, tags, changed: changedNames },
        });
      }),
    );
  }

  /** Throws TEMPLATE_NOT_FOUND and INVALID_STATE. */
  archive(context: RequestContext, templateId: string): Promise<TemplateType> {
    return this.#move(context, templateId, { field: "archiveTemplate", to: "Archived", type: "TemplateArchived" });
  }

  /** Throws TEMPLATE_NOT_FOUND and INVALID_STATE. */
  restore(context: RequestContext, templateId: string): Promise<TemplateType> {
    return this.#move(context, templateId, { field: "restoreTemplate", to: "Active", type: "TemplateRestored" });
  }

  #move(
    context: RequestContext,
    templateId: string,
    { field, to, type }: { field: string; to: Template["status"]; type: "TemplateArchived" | "TemplateRestored" },
  ): Promise<TemplateType> {
    return this.#change(context, { field, templateId }, (template, { record }) => {
      if (template.status === to)
        throw new DomainError("INVALID_STATE", {
          detail: `The template is ${to} already.`,
          currentState: to,
          allowed: [to === "Active" ? "Archived" : "Active"],
        });
      template.status = to;
      template.searchStale = true;
      record({ type, subject: `templates/${templateId}`, data: { templateId, name: template.name } });
    });
  }

  #change(
    context: RequestContext,
    { field, ...parameters }: { field: string; templateId: string; input?: UpdateTemplateInput },
    change: (template: Template, transaction: Transaction) => void,
  ): Promise<TemplateType> {
    const { templateId } = parameters;
    return idempotentMutation(this.#database, context, {
      field,
      arguments: parameters,
      prepare: () => this.#templates.find(tenantOf(context), templateId),
      commit: async (transaction, current) => {
        const template = await lockedTemplate(transaction, templateId);
        change(template, transaction);
        const { name, title, description, category, owner, tags, status, createdAt } = template;
        const facts = { templateId, name, title, description, category, owner, tags, status };
        return { ...facts, createdAt: createdAt.toISOString(), versions: current?.versions ?? [] };
      },
    });
  }
}

/** Holds an Active template until the commit. Throws TEMPLATE_NOT_FOUND, and INVALID_STATE for an archived one. */
export async function requireActive(transaction: Transaction, templateId: string): Promise<void> {
  const { status } = await lockedTemplate(transaction, templateId, LockMode.PESSIMISTIC_READ);
  if (status === "Active") return;
  throw new DomainError("INVALID_STATE", {
    detail: "The template is archived. Restore it first.",
    currentState: status,
    allowed: ["Active"],
  });
}

async function lockedTemplate(
  { em, tenant }: Transaction,
  templateId: string,
  lockMode = LockMode.PESSIMISTIC_WRITE,
): Promise<Template> {
  const isId = decodeId("tpl", templateId) !== undefined;
  const template = isId ? await em.findOne(Template, { tenantId: tenant.tenantId, templateId }, { lockMode }) : null;
  if (!template) throw unknownTemplate();
  return template;
}

function changesOf({ name, title, description, category, owner, tags }: UpdateTemplateInput): Changes {
  return {
    ...(typeof name === "string" && { name, nameKey: name.toLowerCase() }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    ...(owner !== undefined && { owner }),
    ...(tags !== undefined && { tags: [...new Set(tags ?? [])] }),
  };
}

const isSame = (value: unknown, other: unknown) => JSON.stringify(value) === JSON.stringify(other);
