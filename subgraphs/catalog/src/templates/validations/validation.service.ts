import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { TemplateCheck } from "@factory/schema/vocabularies/templates";
import type { Finding } from "@factory/template-engine/finding";
import type { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import type { ReadSource } from "../../sources/sources/source-reader.js";
import { checkNames } from "../template-checks/findings/finding-codes.js";
import type { TemplateVersionService } from "../templates/template-version.service.js";
import { type KnownTemplateVersion, templateChoice } from "../templates/template-version.view.js";
import { sourceFinding } from "./source-finding.js";
import type { TemplateChecker } from "./template-checker.js";
import type { ValidateTemplateVersionInput } from "./validation.input.js";
import { type ValidationOutcome, type ValidationResultType } from "./validation.type.js";
import { ValidationResult } from "./validation-result.entity.js";

const sourceTimeoutMs = 20_000;
/** One tenant's validations at the same time: each one holds its source in memory, up to 200 MiB. */
const maxConcurrent = 4;

interface Examined {
  readonly revision: number;
  findings: Finding[];
  samples: number;
  source: ReadSource | undefined;
}

interface AskedChecks {
  readonly checks: readonly string[];
  readonly withInfo: boolean;
}

/** Runs a template version's checks and stores the result. A failed check is a result and not an error. */
export class ValidationService {
  readonly #database: Database;
  readonly #versions: TemplateVersionService;
  readonly #sources: TemplateSources;
  readonly #checker: TemplateChecker;
  readonly #limiter = new ConcurrencyLimiter({ maxPerTenant: maxConcurrent }, "validations");

  constructor(services: {
    database: Database;
    versions: TemplateVersionService;
    sources: TemplateSources;
    checker: TemplateChecker;
  }) {
    this.#database = services.database;
    this.#versions = services.versions;
    this.#sources = services.sources;
    this.#checker = services.checker;
  }

  validate(
    context: RequestContext,
    templateId: string,
    input: ValidateTemplateVersionInput,
  ): Promise<ValidationResultType> {
    const checks = chosenChecks(input.checks);
    return idempotentMutation(this.#database, context, {
      field: "validateTemplateVersion",
      arguments: { templateId, input },
      prepare: async () => {
        const version = await this.#versions.get(context, templateId, input.templateVersionId);
        const request = { checks, withInfo: input.includeInfo === true };
        return this.#limiter.run(tenantOf(context).tenantId, () => this.#examine(context, version, request));
      },
      commit: async (transaction, { findings, samples, source, revision }) => {
        const { em, tenant, record } = transaction;
        const validationResultId = newId("val");
        const { templateVersionId } = input;
        const isVoid = (await this.#versions.hold(transaction, templateVersionId)) !== revision;
        const outcome = outcomeOf(findings);
        const contentDigest = source?.contentDigest ?? null;
        const validatedAt = new Date();
        const result = {
          validationResultId,
          templateVersionId,
          outcome,
          checks: [...checks],
          findings,
          samples,
          contentDigest,
        };
        em.persist(em.create(ValidationResult, { ...result, revision, tenantId: tenant.tenantId, validatedAt }));
        if (!isVoid)
          record({
            type: "TemplateValidated",
            subject: `template-versions/${templateVersionId}`,
            data: {
              validationResultId,
              templateVersionId,
              outcome,
              checks: [...checks],
              contentDigest,
              findings: findings.length,
            },
          });
        return { ...result, voided: isVoid, validatedAt: validatedAt.toISOString() };
      },
    });
  }

  async #examine(context: RequestContext, version: KnownTemplateVersion, request: AskedChecks): Promise<Examined> {
    const tenant = tenantOf(context);
    let source: ReadSource;
    try {
      const options = {
        timeoutMs: sourceTimeoutMs,
        subject: `template-versions/${version.templateVersionId}`,
        trace: context.trace,
      };
      source = await this.#sources.read(tenant, version.resolvedRef ?? version.sourceRef, options);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const findings = [sourceFinding(request.checks[0] ?? "StructuralLint", error)];
      return { findings, samples: 0, source: undefined, revision: version.revision };
    }
    const { targetFramework } = version;
    // A read may derive the schema, so it is stored before the checks.
    const content = await this.#versions.pin(tenant, version, source);
    const parameterSchema = withPlainNumbers(content.parameterSchema);
    const subject = { parameterSchema, targetFramework, template: templateChoice(version), ...request };
    return {
      ...(await this.#checker.runChecks(source.files, subject, tenant)),
      source,
      revision: version.revision,
    };
  }
}

const chosenChecks = (names: readonly TemplateCheck[] | null | undefined): readonly TemplateCheck[] =>
  names && names.length > 0 ? checkNames.filter((name) => names.includes(name)) : checkNames;

function outcomeOf(findings: readonly Finding[]): keyof typeof ValidationOutcome {
  if (findings.some(({ severity }) => severity === "Error")) return "Failed";
  return findings.length > 0 ? "PassedWithWarnings" : "Passed";
}
