import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { checkedDraft, type DraftContents } from "./draft-contents.js";
import type { TemplateService } from "./template.service.js";
import { TemplateVersion } from "./template-version.entity.js";
import type { CreateTemplateVersionInput } from "./template-version.input.js";
import type { TemplateVersionType } from "./template-version.type.js";
import { versionEntityView } from "./template-version.view.js";

interface DraftServices {
  readonly database: Database;
  readonly templates: TemplateService;
  readonly contents: DraftContents;
}

/** Creates versions as Drafts. */
export class TemplateDraftService {
  readonly #services: DraftServices;

  constructor(services: DraftServices) {
    this.#services = services;
  }

  /** Creates a Draft version. Throws TEMPLATE_VERSION_EXISTS, PARAMETER_SCHEMA_INVALID and others. */
  async create(
    context: RequestContext,
    templateId: string,
    input: CreateTemplateVersionInput,
  ): Promise<TemplateVersionType> {
    const { database, templates, contents } = this.#services;
    const checked = checkedDraft(input);
    return withoutTwin(input, () =>
      idempotentMutation(database, context, {
        field: "createTemplateVersion",
        arguments: { templateId, input },
        prepare: async () => {
          await templates.get(context, templateId);
          return contents.prepare(context, `templates/${templateId}`, checked);
        },
        commit: async ({ em, tenant, record }, content) => {
          const version = em.create(TemplateVersion, {
            ...content,
            tenantId: tenant.tenantId,
            templateVersionId: newId("tpv"),
            templateId,
            status: "Draft",
            publishedAt: null,
            deprecation: null,
            createdAt: new Date(),
          });
          em.persist(version);
          const { templateVersionId, semanticVersion, engineKind, targetFramework, resolvedRef } = version;
          record({
            type: "TemplateVersionCreated",
            subject: `template-versions/${templateVersionId}`,
            data: {
              templateId,
              templateVersionId,
              semanticVersion,
              engineKind,
              targetFramework,
              resolvedRef,
              status: "Draft",
            },
          });
          recordSchema(record, version);
          return versionEntityView(version);
        },
      }),
    );
  }
}

function recordSchema(record: Transaction["record"], version: TemplateVersion): void {
  const { templateId, templateVersionId, semanticVersion, parameterSchema } = version;
  record({
    type: "TemplateParameterSchemaDefined",
    subject: `template-versions/${templateVersionId}`,
    data: { templateId, templateVersionId, semanticVersion, parameterSchema },
  });
}

/** Throws TEMPLATE_VERSION_EXISTS when the template has an equal version. */
async function withoutTwin<T>({ semanticVersion }: CreateTemplateVersionInput, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedUnique(error) !== "template_versions_semantic_version") throw error;
    throw new DomainError("TEMPLATE_VERSION_EXISTS", {
      detail: `The version ${semanticVersion} of this template exists already. Use another semantic version.`,
    });
  }
}
