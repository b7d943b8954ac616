import { keyStatement } from "@factory/runtime/db/key-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { localeFallbacks } from "@factory/template-engine/localization";
import { localizedDescription, type TemplateTexts } from "@factory/template-engine/template-description";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import type { ReadSource } from "../../sources/sources/source-reader.js";
import { derivedSchema } from "./content/derived-schema.js";
import { templateDetails } from "./content/template-details.js";
import type { TemplateService } from "./template.service.js";
import type { TemplateDetailsType } from "./template-details.type.js";
import { type TemplateFacts, templateFacts } from "./template-facts.js";
import {
  type KnownTemplateVersion,
  type ReadContent,
  type ReplacedDraftRow,
  replacedDraftColumns,
  replacedView,
  type TemplateVersionRow,
  templateChoice,
  templateVersionColumns,
  templateVersionView,
} from "./template-version.view.js";

const versionById = keyStatement(
  "template_version_by_id",
  `select ${templateVersionColumns}, facts -> 'parameterNames' as parameter_names,
     facts -> 'parameterAliases' as parameter_aliases,
     (select template.status from templates template
       where template.tenant_id = scope.tenant and template.template_id = template_versions.template_id) as template_status
   from template_versions where tenant_id = scope.tenant and template_version_id = $2`,
);

interface KnownVersionRow extends TemplateVersionRow {
  parameter_names: string[] | null;
  parameter_aliases: Record<string, string> | null;
  template_status: KnownTemplateVersion["templateStatus"];
}

const replacedDraft = tenantStatement(
  "replaced_draft",
  `select ${replacedDraftColumns} from replaced_drafts
   where tenant_id = scope.tenant and template_version_id = $2 and revision = $3`,
);

const detailsById = tenantStatement(
  "template_version_details",
  `select details from template_versions where tenant_id = scope.tenant and template_version_id = $2`,
);

interface FactsRow {
  template_version_id: string;
  facts: TemplateFacts;
}

const factsByTemplate = tenantStatement(
  "template_facts",
  `select template_version_id, facts from template_versions
   where tenant_id = scope.tenant and template_id = $2 and facts is not null`,
);

const holdVersion = {
  name: "template_version_hold",
  text: "select revision from template_versions where tenant_id = $1 and template_version_id = $2 for key share",
};

const pinContent = {
  name: "template_version_pin",
  text: `with pinned as (
      update template_versions set resolved_ref = coalesce(resolved_ref, $3),
        content_digest = coalesce(content_digest, $4),
        facts = case when facts ? 'parameterNames' then facts else $6 end, details = coalesce(details, $7)
      where tenant_id = $1 and template_version_id = $2 and revision = $5
      returning template_id),
    searched as (
      update templates set search_stale = true where tenant_id = $1 and template_id in (select template_id from pinned))
    select true from pinned`,
};

const pinReplacedDraft = {
  name: "replaced_draft_pin",
  text: `update replaced_drafts set resolved_ref = coalesce(resolved_ref, $3), content_digest = coalesce(content_digest, $4)
    where tenant_id = $1 and template_version_id = $2 and revision = $5`,
};

const storeDerivedSchema = {
  name: "template_version_derive_schema",
  text: `update template_versions set parameter_schema = $4, parameter_schema_origin = 'Derived'
    where tenant_id = $1 and template_version_id = $2 and revision = $3 and resolved_ref = $5 and status = 'Draft'
      and parameter_schema_origin = 'Open'
    returning true`,
};

/** Reads template versions, and stores what was read from their sources. */
export class TemplateVersionService {
  readonly #database: Database;
  readonly #templates: TemplateService;

  constructor(database: Database, templates: TemplateService) {
    this.#database = database;
    this.#templates = templates;
  }

  async find(tenant: Tenant, templateVersionId: string): Promise<KnownTemplateVersion | undefined> {
    const uuid = decodeId("tpv", templateVersionId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<KnownVersionRow>(versionById, tenant, uuid);
    return (
      row &&
      Object.assign(templateVersionView(row), {
        parameterNames: row.parameter_names,
        parameterAliases: row.parameter_aliases ?? {},
        templateStatus: row.template_status,
      })
    );
  }

  /** A version as it was in an earlier revision, which executions name. */
  async at(tenant: Tenant, templateVersionId: string, revision: number): Promise<KnownTemplateVersion | undefined> {
    const version = await this.find(tenant, templateVersionId);
    if (!version || version.revision === revision) return version;
    const uuid = decodeId("tpv", templateVersionId);
    const row = await this.#database.reader.row<ReplacedDraftRow>(replacedDraft, tenant, uuid, revision);
    return row && Object.assign(version, replacedView(row), { revision });
  }

  /**
   * Holds a version until the commit, so that it is neither replaced nor deleted, and returns its revision. Throws
   * TEMPLATE_VERSION_NOT_FOUND.
   */
  async hold({ execute, tenant }: Transaction, templateVersionId: string): Promise<number> {
    const [row] = await execute<{ revision: number }>(holdVersion, [tenant.uuid, decodeId("tpv", templateVersionId)]);
    if (!row) throw unknownVersion();
    return row.revision;
  }

  /** A template's texts about itself, in the best language for the locale. Null until the content was read. */
  async details(
    tenant: Tenant,
    templateVersionId: string,
    locale: string | null | undefined,
  ): Promise<TemplateDetailsType | null> {
    const chain = typeof locale === "string" ? localeFallbacks(locale) : [];
    if (chain === undefined) throw unknownLocale();
    const uuid = decodeId("tpv", templateVersionId);
    const row = await this.#database.reader.row<{ details: TemplateTexts | null }>(detailsById, tenant, uuid);
    if (!row?.details) return null;
    const { description, culture } = localizedDescription(row.details, chain);
    return { ...description, culture };
  }

  /** The facts about a template's versions, by version id. Versions whose content was never read are missing. */
  async facts(tenant: Tenant, templateId: string): Promise<Map<string, TemplateFacts>> {
    const rows = await this.#database.reader.rows<FactsRow>(factsByTemplate, tenant, decodeId("tpl", templateId));
    return new Map(rows.map(({ template_version_id, facts }) => [encodeId("tpv", template_version_id), facts]));
  }

  /**
   * This template's version. Throws TEMPLATE_NOT_FOUND and TEMPLATE_VERSION_NOT_FOUND, also for a version of another
   * template.
   */
  async get(context: RequestContext, templateId: string, templateVersionId: string): Promise<KnownTemplateVersion> {
    const version = await this.find(tenantOf(context), templateVersionId);
    if (version?.templateId === templateId) return version;
    await this.#templates.get(context, templateId);
    throw new DomainError("TEMPLATE_VERSION_NOT_FOUND", {
      detail: "No version with this id belongs to this template. List the versions of the template to find the id.",
    });
  }

  /**
   * Stores the results of the first successful source read: the pinned reference, the digest and the facts, and the
   * derived schema of a Draft that was created without one. A later read adds facts that an earlier release of the
   * platform did not store.
   */
  async pin(tenant: Tenant, version: KnownTemplateVersion, source: ReadSource): Promise<ReadContent> {
    const isPinned = version.resolvedRef !== null && version.contentDigest !== null;
    const isOpen = version.status === "Draft" && version.parameterSchemaOrigin === "Open";
    if (isPinned && version.parameterNames !== null && !isOpen) return version;
    const choice = templateChoice(version);
    const facts = templateFacts(source.files, choice);
    const schema = isOpen ? derivedSchema(source.files, choice) : undefined;
    const content = { ...facts, parameterSchema: schema ?? version.parameterSchema };
    const hasNews = version.parameterNames === null && facts.parameterNames !== null;
    if (isPinned && schema === undefined && !hasNews) return content;
    const { templateId, templateVersionId, semanticVersion, revision } = version;
    const key = [tenant.uuid, decodeId("tpv", templateVersionId)];
    const details = JSON.stringify(templateDetails(source.files, choice));
    const { resolvedRef, contentDigest } = source;
    await this.#database.transaction(tenant, { trace: continueTrace(undefined) }, async ({ execute, record }) => {
      const pins = [...key, resolvedRef, contentDigest, revision];
      const [isCurrent] = await execute(pinContent, [...pins, JSON.stringify(facts), details]);
      if (!isCurrent) await execute(pinReplacedDraft, pins);
      if (!isCurrent || schema === undefined) return;
      const [row] = await execute(storeDerivedSchema, [...key, revision, JSON.stringify(schema), resolvedRef]);
      // Another process was first, maybe with another commit on a branch, or a person has published the version.
      if (!row) return;
      record({
        type: "TemplateParameterSchemaDefined",
        subject: `template-versions/${templateVersionId}`,
        data: { templateId, templateVersionId, semanticVersion, parameterSchema: schema },
      });
    });
    return content;
  }
}

/** The answer for an id that does not exist, or that belongs to another tenant. */
export function unknownVersion(): DomainError {
  return new DomainError("TEMPLATE_VERSION_NOT_FOUND", {
    detail: "No template version with this id exists in this tenant.",
  });
}

function unknownLocale(): DomainError {
  const detail = "The locale is not a valid language tag of BCP 47. Use a tag such as de-AT.";
  return inputProblem("VALIDATION_FAILED", { pointer: "/locale", code: "FORMAT", detail });
}
