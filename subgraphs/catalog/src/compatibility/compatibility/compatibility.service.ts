import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fairFingerprint } from "@factory/runtime/idempotency/fingerprint";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { longWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { requireFramework } from "../../ground/input-problems/require-framework.js";
import { checkLibraries, type LibraryReference } from "../../libraries/libraries/library-reference.js";
import type { TemplateService } from "../../templates/templates/template.service.js";
import type { TemplateFacts } from "../../templates/templates/template-facts.js";
import type { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import type { TemplateVersionType } from "../../templates/templates/template-version.type.js";
import type { UpgradeAdvice } from "./advice/upgrade-advice.js";
import type { EvaluateLibraryCompatibilityInput, EvaluateTemplateCompatibilityInput } from "./compatibility.input.js";
import type { CompatibilityMatrixType } from "./compatibility.type.js";
import { CompatibilityMatrix } from "./compatibility-matrix.entity.js";
import { type Evaluation, evaluation } from "./evaluate-set.js";
import type { TemplateSide } from "./evaluation/evaluation-input.js";
import type { LibrarySnapshots } from "./library-snapshot.js";
import type { UpgradeAdvisor } from "./upgrade-advisor.js";

/** The GraphQL input's limit; gRPC requests are checked here only. */
const maxLibraries = 200;

const oneMatrix = keyStatement(
  "one_compatibility_matrix",
  `select ${columnsOf(CompatibilityMatrix)} from compatibility_matrices where tenant_id = scope.tenant and matrix_id = $2`,
);

const readMatrix = rowReader(CompatibilityMatrix);

interface Assessment extends Evaluation {
  readonly snapshotDigest: string;
  /** The evaluation's cost in the rate limit. */
  readonly points: number;
}

/** The packages, dependencies and findings that one rate limit point pays for. */
const stepsPerPoint = 3000;

/** Evaluates library sets, stores the answers and searches for upgrades. */
export class CompatibilityService {
  readonly #database: Database;
  readonly #snapshots: LibrarySnapshots;
  readonly #templates: TemplateService;
  readonly #versions: TemplateVersionService;
  readonly #advisor: UpgradeAdvisor;
  readonly #facts: TenantFacts;

  constructor(services: {
    database: Database;
    snapshots: LibrarySnapshots;
    templates: TemplateService;
    versions: TemplateVersionService;
    advisor: UpgradeAdvisor;
    facts: TenantFacts;
  }) {
    this.#facts = services.facts;
    this.#advisor = services.advisor;
    this.#database = services.database;
    this.#snapshots = services.snapshots;
    this.#templates = services.templates;
    this.#versions = services.versions;
  }

  /** Evaluates without storing anything. */
  async assess(
    tenant: Tenant,
    runtime: string,
    libraries: readonly LibraryReference[],
    template?: TemplateSide,
  ): Promise<Assessment> {
    const framework = requireFramework(runtime, "/runtime");
    checkLibraries(libraries, { distinct: false });
    const { catalog, revisions } = await this.#snapshots.of(tenant, namesOf(libraries));
    const input = {
      libraries: [...libraries],
      ...(template ? { template } : {}),
      ...(await this.#unknownLibraries(tenant)),
    };
    const work = evaluation({ ...input, runtime: framework, catalog, now: new Date() });
    const { steps, ...answer } = await longWork.run(tenant.tenantId, work);
    const snapshotDigest = `sha256:${await fairFingerprint(tenant.tenantId, { ...input, runtime, revisions })}`;
    return { ...answer, snapshotDigest, points: Math.ceil(steps / stepsPerPoint) };
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
        throw new DomainError("TEMPLATE_VERSION_NOT_FOUND", {
          detail: `This template has no version ${input.templateVersionId}. Use a templateVersionId that belongs to it.`,
        });
      return templateSide(version, template.versions, await this.#versions.facts(tenantOf(context), templateId));
    });
  }

  /** Searches for upgrades of a set. Nothing is stored. */
  async upgrades(
    context: RequestContext,
    runtime: string,
    libraries: readonly LibraryReference[],
  ): Promise<UpgradeAdvice> {
    const framework = requireFramework(runtime, "/runtime");
    if (libraries.length > maxLibraries)
      throw new DomainError("VALIDATION_FAILED", {
        detail: `The list has ${libraries.length} libraries. Send at most ${maxLibraries} in one request.`,
      });
    checkLibraries(libraries, { distinct: false });
    const tenant = tenantOf(context);
    const { catalog } = await this.#snapshots.of(tenant, namesOf(libraries));
    const libraryReferences = libraries.map(({ packageName, version }) => ({ packageName, version }));
    const rules = await this.#unknownLibraries(tenant);
    const input = { runtime: framework, libraries: libraryReferences, catalog, now: new Date(), ...rules };
    return this.#advisor.advise(input, { tenantId: tenant.tenantId });
  }

  /** A stored evaluation as it was answered; undefined for an unknown id. */
  async find(context: RequestContext, matrixId: string): Promise<CompatibilityMatrixType | undefined> {
    const uuid = decodeId("mtx", matrixId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<RowOf<CompatibilityMatrix>>(oneMatrix, tenantOf(context), uuid);
    return row && matrixView(readMatrix(row));
  }

  async matrix(context: RequestContext, matrixId: string): Promise<CompatibilityMatrixType> {
    const matrix = await this.find(context, matrixId);
    if (!matrix) throw new DomainError("NOT_FOUND", { detail: `This tenant has no compatibility matrix ${matrixId}.` });
    return matrix;
  }

  /** Absent for the default, so that the digest of an evaluation stays the same. */
  async #unknownLibraries({ tenantId }: Tenant): Promise<{ unknownLibraries?: "violation" }> {
    const facts = await this.#facts.of(tenantId);
    const unknownLibraries = facts.setting("compatibility.unknownLibraries");
    return unknownLibraries === "violation" ? { unknownLibraries } : {};
  }

  #evaluate(
    context: RequestContext,
    field: string,
    evaluation: { templateId?: string; input: EvaluateLibraryCompatibilityInput & { templateVersionId?: string } },
    findTemplate: (() => Promise<TemplateSide>) | undefined,
  ): Promise<CompatibilityMatrixType> {
    const { runtime, templateVersionId } = evaluation.input;
    const libraries = evaluation.input.libraries.map(({ packageName, version }) => ({ packageName, version }));
    return idempotentMutation(this.#database, context, {
      field,
      arguments: evaluation,
      prepare: async () => {
        const assessment = await this.assess(tenantOf(context), runtime, libraries, await findTemplate?.());
        context.points += assessment.points - 1;
        return assessment;
      },
      commit: async ({ em, tenant, record }, assessment) => {
        const matrixId = newId("mtx");
        const { compatible, violations, advisories, snapshotDigest } = assessment;
        const matrix = em.create(CompatibilityMatrix, {
          tenantId: tenant.tenantId,
          matrixId,
          templateVersionId: templateVersionId ?? null,
          runtime,
          libraries,
          compatible,
          violations,
          advisories,
          snapshotDigest,
          evaluatedAt: new Date(),
        });
        em.persist(matrix);
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
        return matrixView(matrix);
      },
    });
  }
}

const namesOf = (libraries: readonly LibraryReference[]) => libraries.map(({ packageName }) => packageName);

function matrixView(matrix: RecordOf<CompatibilityMatrix>): CompatibilityMatrixType {
  const { tenantId: _, evaluatedAt, ...fields } = matrix;
  return { ...fields, evaluatedAt: evaluatedAt.toISOString() };
}

function templateSide(
  version: TemplateVersionType,
  versions: readonly TemplateVersionType[],
  facts: ReadonlyMap<string, TemplateFacts>,
): TemplateSide {
  const side = ({ templateVersionId, semanticVersion, targetFramework, status }: TemplateVersionType) => {
    const { pins, sdkVersions } = facts.get(templateVersionId) ?? {};
    return { semanticVersion, targetFramework, status, ...(pins && { pins }), ...(sdkVersions && { sdkVersions }) };
  };
  return {
    templateVersionId: version.templateVersionId,
    ...side(version),
    otherVersions: versions.filter((other) => other !== version).map(side),
  };
}
