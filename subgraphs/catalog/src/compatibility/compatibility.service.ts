import type { Database } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { LibraryService } from "../libraries/library.service.js";
import type { LibraryRow } from "../libraries/library.view.js";
import { checkLibraries, type LibraryReference } from "../libraries/library-reference.js";
import { parseFramework } from "../nuget/framework.js";
import type { TemplateVersionType } from "../template-versions/template-version.type.js";
import type { TemplateService } from "../templates/template.service.js";
import type { EvaluateLibraryCompatibilityInput, EvaluateTemplateCompatibilityInput } from "./compatibility.input.js";
import type { CompatibilityMatrixType } from "./compatibility.type.js";
import { CompatibilityMatrix } from "./compatibility-matrix.entity.js";
import { type CatalogLibrary, type Evaluation, evaluateSet, type TemplateSide } from "./evaluate-set.js";

/** Rounds in which dependencies of dependencies are loaded before the evaluation. */
const maxDependencyDepth = 5;

export class CompatibilityService {
  readonly #database: Database;
  readonly #libraries: LibraryService;
  readonly #templates: TemplateService;

  constructor(database: Database, libraries: LibraryService, templates: TemplateService) {
    this.#database = database;
    this.#libraries = libraries;
    this.#templates = templates;
  }

  /** Evaluates without storing anything. */
  async assess(
    tenant: Tenant,
    runtime: string,
    libraries: readonly LibraryReference[],
    template?: TemplateSide,
  ): Promise<Evaluation> {
    const framework = parseFramework(runtime);
    if (!framework) {
      const detail = `${runtime} is no known framework moniker.`;
      throw new DomainError("RUNTIME_NOT_RECOGNISED", {
        detail,
        errors: [{ pointer: "/runtime", code: "UNKNOWN_VALUE", detail }],
      });
    }
    checkLibraries(libraries, { distinct: false });
    const catalog = await this.#snapshot(tenant, libraries);
    return evaluateSet({ runtime: framework, libraries: [...libraries], catalog, ...(template ? { template } : {}) });
  }

  evaluateLibraries(
    context: RequestContext,
    input: EvaluateLibraryCompatibilityInput,
  ): Promise<CompatibilityMatrixType> {
    return this.#evaluate(context, "evaluateLibraryCompatibility", { input }, undefined);
  }

  evaluateTemplate(
    context: RequestContext,
    templateId: string,
    input: EvaluateTemplateCompatibilityInput,
  ): Promise<CompatibilityMatrixType> {
    return this.#evaluate(context, "evaluateTemplateCompatibility", { templateId, input }, async () => {
      const template = await this.#templates.get(context, templateId);
      const version = template.versions.find(({ templateVersionId }) => templateVersionId === input.templateVersionId);
      if (!version)
        throw new DomainError("TEMPLATE_VERSION_NOT_FOUND", { detail: "No such version of this template." });
      return templateSide(version, template.versions);
    });
  }

  #evaluate(
    context: RequestContext,
    field: string,
    asked: { templateId?: string; input: EvaluateLibraryCompatibilityInput & { templateVersionId?: string } },
    findTemplate: (() => Promise<TemplateSide>) | undefined,
  ): Promise<CompatibilityMatrixType> {
    const { runtime, templateVersionId } = asked.input;
    const libraries = asked.input.libraries.map(({ packageName, version }) => ({ packageName, version }));
    return mutate(this.#database, context, {
      field,
      arguments: asked,
      prepare: async () => this.assess(tenantOf(context), runtime, libraries, await findTemplate?.()),
      commit: async ({ em, tenant, record }, { compatible, violations, advisories }) => {
        const matrixId = newId("mtx");
        em.persist(
          em.create(CompatibilityMatrix, {
            tenantId: tenant.tenantId,
            matrixId,
            templateVersionId: templateVersionId ?? null,
            runtime,
            libraries,
            compatible,
            violations,
            advisories,
            evaluatedAt: new Date(),
          }),
        );
        record({
          type: "CompatibilityEvaluated",
          subject: `compatibility-matrices/${matrixId}`,
          data: {
            matrixId,
            compatible,
            runtime,
            templateVersionId: templateVersionId ?? null,
            rules: violations.map(({ rule }) => rule),
          },
        });
        return { matrixId, compatible, violations, advisories };
      },
    });
  }

  /** The named libraries and what their versions depend on, level by level. */
  async #snapshot(tenant: Tenant, libraries: readonly LibraryReference[]): Promise<Map<string, CatalogLibrary>> {
    const snapshot = new Map<string, CatalogLibrary>();
    let wanted = new Set(libraries.map(({ packageName }) => packageName.toLowerCase()));
    for (let depth = 0; depth < maxDependencyDepth && wanted.size > 0; depth += 1) {
      const rows = await this.#libraries.byPackage(tenant, [...wanted]);
      for (const row of rows) snapshot.set(row.package_name.toLowerCase(), catalogLibrary(row));
      const dependencies = rows.flatMap(({ versions }) => (versions ?? []).flatMap((version) => version.dependencies));
      wanted = new Set(
        dependencies.map(({ packageName }) => packageName.toLowerCase()).filter((name) => !snapshot.has(name)),
      );
    }
    return snapshot;
  }
}

function templateSide(version: TemplateVersionType, versions: readonly TemplateVersionType[]): TemplateSide {
  const side = ({ semanticVersion, targetFramework, status }: TemplateVersionType) => ({
    semanticVersion,
    targetFramework,
    status,
  });
  return {
    templateVersionId: version.templateVersionId,
    ...side(version),
    otherVersions: versions.filter((other) => other !== version).map(side),
  };
}

function catalogLibrary(row: LibraryRow): CatalogLibrary {
  return {
    libraryId: encodeId("lib", row.library_id),
    packageName: row.package_name,
    capabilities: row.capabilities,
    versions: (row.versions ?? []).map((version) => ({
      libraryVersionId: encodeId("lbv", version.library_version_id),
      version: version.semantic_version,
      status: version.status,
      targetFrameworks: version.target_frameworks,
      dependencies: version.dependencies.map(({ packageName, range }) => ({ packageName, range: range ?? "0.0.0" })),
      conflictsWith: version.conflicts_with,
    })),
  };
}
