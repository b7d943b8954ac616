import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { checkedDraft, type DraftContents } from "./draft-contents.js";
import type { TemplateService } from "./template.service.js";
import { requireActive } from "./template-change.service.js";
import { lockedVersion } from "./template-promotion.service.js";
import { TemplateVersion } from "./template-version.entity.js";
import type { CreateTemplateVersionInput } from "./template-version.input.js";
import { type TemplateVersionService, unknownVersion } from "./template-version.service.js";
import type { TemplateVersionType } from "./template-version.type.js";
import { versionEntityView } from "./template-version.view.js";
import { isExecuted } from "./version-evidence/executions-statement.js";

interface DraftServices {
  readonly database: Database;
  readonly templates: TemplateService;
  readonly versions: TemplateVersionService;
  readonly contents: DraftContents;
}

interface DraftChange extends Preconditions {
  readonly input: CreateTemplateVersionInput;
}

/** Creates versions as Drafts, and replaces and deletes Drafts. */
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
    const draft = checkedDraft(input);
    return withoutTwin(input, () =>
      idempotentMutation(database, context, {
        field: "createTemplateVersion",
        arguments: { templateId, input },
        prepare: async () => {
          await templates.get(context, templateId);
          return contents.prepare(context, `templates/${templateId}`, draft);
        },
        commit: async (transaction, content) => {
          // this comes first: two transactions that hold the template's shared lock could not both write it
          if (content.details !== null) await searchAgain(transaction, templateId);
          await requireActive(transaction, templateId);
          const { em, tenant, record } = transaction;
          const version = em.create(TemplateVersion, {
            ...content,
            tenantId: tenant.tenantId,
            templateVersionId: newId("tpv"),
            templateId,
            revision: 1,
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

  /**
   * Gives a Draft another content under the same id. Validations for the earlier content no longer count. Throws
   * INVALID_STATE, TEMPLATE_VERSION_EXISTS and others.
   */
  async replace(
    context: RequestContext,
    templateVersionId: string,
    { input, ifMatch }: DraftChange,
  ): Promise<TemplateVersionType> {
    const { database, versions, contents } = this.#services;
    const draft = checkedDraft(input);
    return withoutTwin(input, () =>
      idempotentMutation(database, context, {
        field: "replaceTemplateVersion",
        arguments: { templateVersionId, input, ifMatch },
        prepare: async () => {
          const version = await versions.find(tenantOf(context), templateVersionId);
          if (!version) throw unknownVersion();
          requireDraft(version, "replaced");
          return contents.prepare(context, `template-versions/${templateVersionId}`, draft);
        },
        commit: async (transaction, content) => {
          const version = await lockedVersion(transaction, templateVersionId);
          requirePreconditions({ ifMatch }, version.revision);
          requireDraft(version, "replaced");
          if (version.details !== null || content.details !== null) await searchAgain(transaction, version.templateId);
          await requireActive(transaction, version.templateId);
          await keepForExecutions(transaction, version);
          transaction.em.assign(version, { ...content, revision: version.revision + 1 });
          const { templateId, semanticVersion, engineKind, targetFramework, resolvedRef, revision } = version;
          transaction.record({
            type: "TemplateVersionReplaced",
            subject: `template-versions/${templateVersionId}`,
            data: {
              templateId,
              templateVersionId,
              semanticVersion,
              engineKind,
              targetFramework,
              resolvedRef,
              revision,
            },
          });
          recordSchema(transaction.record, version);
          return versionEntityView(version);
        },
      }),
    );
  }

  /** Deletes a Draft with its validations. Throws INVALID_STATE, and CONFLICT while something names it. */
  delete(context: RequestContext, templateVersionId: string, { ifMatch }: Preconditions): Promise<TemplateVersionType> {
    return idempotentMutation(this.#services.database, context, {
      field: "deleteTemplateVersion",
      arguments: { templateVersionId, ifMatch },
      commit: async (transaction) => {
        const version = await lockedVersion(transaction, templateVersionId);
        requirePreconditions({ ifMatch }, version.revision);
        requireDraft(version, "deleted");
        await requireUnnamed(transaction, templateVersionId);
        const { templateId, semanticVersion } = version;
        transaction.em.remove(version);
        await searchAgain(transaction, templateId);
        transaction.record({
          type: "TemplateVersionDeleted",
          subject: `template-versions/${templateVersionId}`,
          data: { templateId, templateVersionId, semanticVersion },
        });
        return versionEntityView(version);
      },
    });
  }
}

const keepRevision = {
  name: "replaced_draft_keep",
  text: `insert into replaced_drafts (tenant_id, template_version_id, revision, semantic_version, source_ref,
      resolved_ref, content_digest, template_identity, template_language, template_type, engine_kind,
      target_framework, parameter_schema, parameter_schema_origin, replaced_at)
    select tenant_id, template_version_id, revision, semantic_version, source_ref,
      resolved_ref, content_digest, template_identity, template_language, template_type, engine_kind,
      target_framework, parameter_schema, parameter_schema_origin, now()
    from template_versions where tenant_id = $1 and template_version_id = $2`,
};

const markStale = {
  name: "template_search_again",
  text: "update templates set search_stale = true where tenant_id = $1 and template_id = $2",
};

/** The next search reads the texts in the template's content anew. */
async function searchAgain({ execute, tenant }: Transaction, templateId: string): Promise<void> {
  await execute(markStale, [tenant.uuid, decodeId("tpl", templateId)]);
}

const isReplacement = {
  name: "template_version_is_replacement",
  text: `select exists (select from template_versions
      where tenant_id = $1 and deprecation ->> 'replacementTemplateVersionId' = $2) as named`,
};

/** This revision's executions render it later: when they run, are retried or are a merge base. */
async function keepForExecutions(transaction: Transaction, version: TemplateVersion): Promise<void> {
  const { templateVersionId, revision } = version;
  if (!(await isExecuted(transaction, templateVersionId, revision))) return;
  await transaction.execute(keepRevision, [transaction.tenant.uuid, decodeId("tpv", templateVersionId)]);
}

async function requireUnnamed(transaction: Transaction, templateVersionId: string): Promise<void> {
  if (await isExecuted(transaction, templateVersionId))
    throw new DomainError("CONFLICT", {
      detail: "An execution names the Draft, so it cannot be deleted. Replace it, or create another version.",
    });
  const [row] = await transaction.execute<{ named: boolean }>(isReplacement, [
    transaction.tenant.uuid,
    templateVersionId,
  ]);
  if (row?.named)
    throw new DomainError("CONFLICT", {
      detail: "A deprecated version names the Draft as its replacement, so it cannot be deleted.",
    });
}

function requireDraft({ status }: Pick<TemplateVersion, "status">, change: "replaced" | "deleted"): void {
  if (status === "Draft") return;
  throw new DomainError("INVALID_STATE", {
    detail: `The version is ${status}. Only a Draft can be ${change}.`,
    currentState: status,
    allowed: ["Draft"],
  });
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
