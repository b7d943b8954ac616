import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { JsonObject } from "@factory/template-engine/json-value";
import { localeFallbacks } from "@factory/template-engine/localization";
import { localizedDescription, type TemplateTexts } from "@factory/template-engine/template-description";
import { inputProblem } from "../input-problems/input-problem.js";
import { requireFramework } from "../input-problems/require-framework.js";
import type { ParameterChecker } from "../parameters/parameter-checker.js";
import type { SchemaFault } from "../parameters/schema-fitness.js";
import { schemaProblem } from "../parameters/schema-limits.js";
import type { TemplateSources } from "../remote-credentials/template-sources.js";
import type { ReadSource } from "../sources/source-reader.js";
import { parseSemanticVersion } from "./semantic-version.js";
import type { TemplateService } from "./template.service.js";
import { templateDetails } from "./template-details.js";
import type { TemplateDetailsType } from "./template-details.type.js";
import { type TemplateFacts, templateFacts } from "./template-facts.js";
import { TemplateVersion } from "./template-version.entity.js";
import type { CreateTemplateVersionInput } from "./template-version.input.js";
import type { TemplateVersionType } from "./template-version.type.js";
import {
  type KnownParameters,
  type KnownTemplateVersion,
  type TemplateVersionRow,
  templateChoice,
  templateVersionColumns,
  templateVersionView,
  versionEntityView,
} from "./template-version.view.js";

const engineKinds = ["DotnetNewTemplatePack"];
/** The time to resolve a source before the version is stored unresolved. */
const resolutionMs = 3000;
/** The limit of one tenant. Beyond it, a source is resolved when it is first read. */
const maxResolutions = 8;

const versionById = tenantStatement(
  "template_version_by_id",
  `select ${templateVersionColumns}, facts -> 'parameterNames' as parameter_names,
     facts -> 'parameterAliases' as parameter_aliases from template_versions
   where tenant_id = scope.tenant and template_version_id = $2`,
);

interface KnownVersionRow extends TemplateVersionRow {
  parameter_names: string[] | null;
  parameter_aliases: Record<string, string> | null;
}

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

interface TemplateVersionServices {
  readonly database: Database;
  readonly templates: TemplateService;
  readonly sources: TemplateSources;
  readonly parameterChecker: ParameterChecker;
}

/** Creates and reads template versions, and stores what was read from their sources. */
export class TemplateVersionService {
  readonly #database: Database;
  readonly #templates: TemplateService;
  readonly #sources: TemplateSources;
  readonly #parameterChecker: ParameterChecker;
  readonly #resolutions = new ConcurrencyLimiter({ maxPerTenant: maxResolutions }, "resolutions");

  constructor({ database, templates, sources, parameterChecker }: TemplateVersionServices) {
    this.#database = database;
    this.#templates = templates;
    this.#sources = sources;
    this.#parameterChecker = parameterChecker;
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
      })
    );
  }

  /** The texts of a template about itself, in the best language for the locale. Null until the content was read. */
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

  /** The facts of the versions of a template, by version id. Versions whose content was never read are missing. */
  async facts(tenant: Tenant, templateId: string): Promise<Map<string, TemplateFacts>> {
    const rows = await this.#database.reader.rows<FactsRow>(factsByTemplate, tenant, decodeId("tpl", templateId));
    return new Map(rows.map(({ template_version_id, facts }) => [encodeId("tpv", template_version_id), facts]));
  }

  /**
   * A version of this template. Throws TEMPLATE_NOT_FOUND and TEMPLATE_VERSION_NOT_FOUND, also for a version of another
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
   * Stores what the first successful read of the source found: the pinned reference, the digest and the facts. A later
   * read adds facts that an earlier release of the platform did not store. Returns the names of the parameters.
   */
  async pin(tenant: Tenant, version: KnownTemplateVersion, source: ReadSource): Promise<KnownParameters> {
    const isPinned = version.resolvedRef !== null && version.contentDigest !== null;
    if (isPinned && version.parameterNames !== null) return version;
    const choice = templateChoice(version);
    const facts = templateFacts(source.files, choice);
    if (isPinned && facts.parameterNames === null) return facts;
    await this.#database.transaction(tenant, { trace: continueTrace(undefined) }, async ({ execute }) => {
      await execute(
        `with version as (
           update template_versions set resolved_ref = coalesce(resolved_ref, $3),
             content_digest = coalesce(content_digest, $4),
             facts = case when facts ? 'parameterNames' then facts else $5 end, details = coalesce(details, $6)
           where tenant_id = $1 and template_version_id = $2 returning template_id)
         update templates set search_stale = true where tenant_id = $1 and template_id in (select template_id from version)`,
        [
          tenant.uuid,
          decodeId("tpv", version.templateVersionId),
          source.resolvedRef,
          source.contentDigest,
          JSON.stringify(facts),
          JSON.stringify(templateDetails(source.files, choice)),
        ],
      );
    });
    return facts;
  }

  /** Creates a Draft version. Throws TEMPLATE_VERSION_EXISTS, PARAMETER_SCHEMA_INVALID and others. */
  async create(
    context: RequestContext,
    templateId: string,
    input: CreateTemplateVersionInput,
  ): Promise<TemplateVersionType> {
    const checked = checkInput(input);
    try {
      return await idempotentMutation(this.#database, context, {
        field: "createTemplateVersion",
        arguments: { templateId, input },
        prepare: async () => {
          await this.#templates.get(context, templateId);
          await this.#requireSchema(context, checked.parameterSchema);
          return this.#resolve(context, templateId, input.sourceRef);
        },
        commit: async ({ em, tenant, record }, source) => {
          const version = em.create(TemplateVersion, {
            tenantId: tenant.tenantId,
            templateVersionId: newId("tpv"),
            templateId,
            semanticVersion: input.semanticVersion,
            precedence: checked.precedence,
            sourceRef: input.sourceRef,
            resolvedRef: source?.resolvedRef ?? null,
            contentDigest: null,
            facts: null,
            details: null,
            templateIdentity: input.templateIdentity ?? null,
            templateLanguage: input.templateLanguage ?? null,
            templateType: input.templateType ?? null,
            engineKind: input.engineKind,
            targetFramework: checked.targetFramework,
            parameterSchema: checked.parameterSchema,
            changelog: input.changelog ?? null,
            status: "Draft",
            publishedAt: null,
            deprecation: null,
            createdAt: new Date(),
          });
          em.persist(version);
          const { templateVersionId, semanticVersion, engineKind, targetFramework, resolvedRef, parameterSchema } =
            version;
          const subject = `template-versions/${templateVersionId}`;
          const facts = { templateId, templateVersionId, semanticVersion };
          record({
            type: "TemplateVersionCreated",
            subject,
            data: { ...facts, engineKind, targetFramework, resolvedRef, status: "Draft" },
          });
          record({ type: "TemplateParameterSchemaDefined", subject, data: { ...facts, parameterSchema } });
          return versionEntityView(version);
        },
      });
    } catch (error) {
      if (violatedUnique(error) === "template_versions_semantic_version")
        throw new DomainError("TEMPLATE_VERSION_EXISTS", {
          detail: `The version ${input.semanticVersion} of this template exists already. Use another semantic version.`,
        });
      throw error;
    }
  }

  /** The schema is checked in a worker process, so that a hostile schema can delay only its own tenant. */
  async #requireSchema(context: RequestContext, schema: Record<string, unknown>): Promise<void> {
    const fault = await this.#parameterChecker.schemaFault(withPlainNumbers(schema) as JsonObject, tenantOf(context));
    if (fault) throw schemaRefusal(fault);
  }

  async #resolve(context: RequestContext, templateId: string, sourceRef: string) {
    const tenant = tenantOf(context);
    const subject = `templates/${templateId}`;
    const within = (timeoutMs: number) =>
      this.#sources.tryResolve(tenant, sourceRef, { timeoutMs, subject, trace: context.trace });
    try {
      return await this.#resolutions.run(tenant.tenantId, () => within(resolutionMs));
    } catch (error) {
      // The reference is still checked, since a dangerous one must not be stored.
      if (error instanceof DomainError && error.code === "RATE_LIMITED") return within(1);
      throw error;
    }
  }
}

function checkInput(input: CreateTemplateVersionInput) {
  const version = parseSemanticVersion(input.semanticVersion);
  if (!version)
    throw inputProblem("VALIDATION_FAILED", {
      pointer: "/semanticVersion",
      code: "FORMAT",
      detail: `"${input.semanticVersion}" is not a valid semantic version. Use SemVer 2.0.0 without a leading v, for example 1.2.0.`,
    });
  if (!engineKinds.includes(input.engineKind))
    throw inputProblem("ENGINE_KIND_NOT_SUPPORTED", {
      pointer: "/engineKind",
      code: "UNKNOWN_VALUE",
      detail: `The engine kind "${input.engineKind}" is not supported. Use ${engineKinds.join(", ")}.`,
    });
  requireFramework(input.targetFramework, "/targetFramework");
  const parameterSchema = input.parameterSchema ?? { type: "object" };
  const problem = schemaProblem(withPlainNumbers(parameterSchema));
  if (problem?.code === "UNKNOWN_VALUE") throw schemaRefusal({ pointer: "/$schema", detail: problem.detail });
  if (problem)
    throw inputProblem("VALIDATION_FAILED", {
      pointer: "/parameterSchema",
      code: problem.code,
      detail: problem.detail,
    });
  return { precedence: version.precedence, targetFramework: input.targetFramework, parameterSchema };
}

function unknownLocale(): DomainError {
  const detail = "The locale is not a valid language tag of BCP 47. Use a tag such as de-AT.";
  return inputProblem("VALIDATION_FAILED", { pointer: "/locale", code: "FORMAT", detail });
}

function schemaRefusal({ pointer, detail }: SchemaFault): DomainError {
  return inputProblem("PARAMETER_SCHEMA_INVALID", { pointer: `/parameterSchema${pointer}`, code: "FORMAT", detail });
}
