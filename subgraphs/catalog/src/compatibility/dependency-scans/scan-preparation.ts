import { frameworkName } from "@factory/nuget/framework";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { requireFramework } from "../../ground/input-problems/require-framework.js";
import { checkLibraries } from "../../libraries/libraries/library-reference.js";
import type { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import type { ReadSource } from "../../sources/sources/source-reader.js";
import { renderDigest } from "../../templates/templates/render-digest.js";
import type { TemplateService } from "../../templates/templates/template.service.js";
import type { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { type KnownTemplateVersion, templateChoice } from "../../templates/templates/template-version.view.js";
import type { LibrarySnapshots } from "../compatibility/library-snapshot.js";
import { maxLibraries } from "../compatibility/library-snapshot-statement.js";
import type { ScanDependenciesInput } from "./dependency-scan.input.js";
import type { DependencyScanner } from "./dependency-scanner.js";
import { maxSetLibraries } from "./limits/scan-limits.js";
import type { DependencyScan } from "./record/dependency-scan.entity.js";
import type { ProjectReferences } from "./references/project-references.js";
import { scanFailed } from "./scan-failure.js";
import { requireLibraryScope } from "./scan-scopes.js";

/** A scan's subject with its resolved packages, without the imported advisories. */
export type ScannedSubject = Pick<
  DependencyScan,
  | "templateVersionId"
  | "templateName"
  | "semanticVersion"
  | "renderDigest"
  | "contentDigest"
  | "runtime"
  | "libraries"
  | "packages"
  | "limits"
>;

type SubjectFacts = Omit<ScannedSubject, "packages" | "limits">;

interface PreparationServices {
  readonly templates: TemplateService;
  readonly versions: TemplateVersionService;
  readonly sources: TemplateSources;
  readonly snapshots: LibrarySnapshots;
  readonly scanner: DependencyScanner;
}

const sourceTimeoutMs = 20_000;
/** One tenant's scans at the same time: each one holds its source in memory, up to 200 MiB. */
const maxConcurrent = 4;

/** Reads and resolves a scan's packages. Nothing is stored, except for what the first read of a source finds. */
export class ScanPreparation {
  readonly #services: PreparationServices;
  readonly #limiter = new ConcurrencyLimiter({ maxPerTenant: maxConcurrent }, "dependency scans");

  constructor(services: PreparationServices) {
    this.#services = services;
  }

  prepare(context: RequestContext, input: ScanDependenciesInput): Promise<ScannedSubject> {
    const { templateVersionId } = input;
    const ofSet = input.runtime != null || input.libraries != null;
    if ((templateVersionId == null) !== ofSet)
      throw inputProblem("VALIDATION_FAILED", {
        pointer: "/templateVersionId",
        code: "REQUIRED",
        detail: "Name either a template version (templateVersionId), or a set of libraries (runtime and libraries).",
      });
    if (templateVersionId == null) requireLibraryScope(context);
    const work = () =>
      templateVersionId == null ? this.#set(context, input) : this.#template(context, templateVersionId);
    return this.#limiter.run(tenantOf(context).tenantId, work);
  }

  async #set(context: RequestContext, { runtime, libraries }: ScanDependenciesInput): Promise<ScannedSubject> {
    if (runtime == null || libraries == null || libraries.length === 0)
      throw inputProblem("VALIDATION_FAILED", {
        pointer: runtime == null ? "/runtime" : "/libraries",
        code: "REQUIRED",
        detail: "A set needs a runtime and at least one library.",
      });
    if (libraries.length > maxSetLibraries)
      throw inputProblem("VALIDATION_FAILED", {
        pointer: "/libraries",
        code: "TOO_LONG",
        detail: `The list has ${libraries.length} libraries. Send at most ${maxSetLibraries} in one request.`,
      });
    const framework = requireFramework(runtime, "/runtime");
    checkLibraries(libraries, { distinct: false });
    const libraryReferences = libraries.map(({ packageName, version }) => ({ packageName, version }));
    const references = libraryReferences.map(({ packageName, version }) => ({ packageName, requested: version }));
    const projects = [{ path: null, frameworks: [frameworkName(framework)], references, pins: [] }];
    const subject = { ...noTemplate, runtime, libraries: libraryReferences };
    return this.#resolve(context, subject, { projects, limits: [] });
  }

  async #template(context: RequestContext, templateVersionId: string): Promise<ScannedSubject> {
    const { versions, templates, scanner } = this.#services;
    const tenant = tenantOf(context);
    const version = await versions.find(tenant, templateVersionId);
    if (version === undefined)
      throw new DomainError("TEMPLATE_VERSION_NOT_FOUND", {
        detail: "No template version with this id exists in this tenant.",
      });
    const template = await templates.get(context, version.templateId);
    const source = await this.#source(context, version);
    // a Draft's first read may derive its schema, which decides about the default render
    const { parameterSchema } = await versions.pin(tenant, version, source);
    const { contentDigest } = source;
    const { targetFramework, templateIdentity, templateLanguage, templateType } = version;
    const renderFacts = { parameterSchema, targetFramework, templateIdentity, templateLanguage, templateType };
    const order = {
      parameterSchema: withPlainNumbers(parameterSchema),
      targetFramework,
      template: templateChoice(version),
    };
    const projectReferences = await scanner.references(source.files, order, tenant);
    const subject = {
      templateVersionId,
      templateName: template.name,
      semanticVersion: version.semanticVersion,
      renderDigest: renderDigest(renderFacts, contentDigest),
      contentDigest,
      runtime: null,
      libraries: null,
    };
    return this.#resolve(context, subject, projectReferences);
  }

  async #source(context: RequestContext, version: KnownTemplateVersion): Promise<ReadSource> {
    const options = {
      timeoutMs: sourceTimeoutMs,
      subject: `template-versions/${version.templateVersionId}`,
      trace: context.trace,
    };
    try {
      return await this.#services.sources.read(tenantOf(context), version.resolvedRef ?? version.sourceRef, options);
    } catch (error) {
      // these codes belong to executions, which store them as their error
      if (error instanceof DomainError && /^SOURCE_(?:UNAVAILABLE|TOO_LARGE|UNSAFE)$/.test(error.code))
        throw scanFailed(error.code, error.message);
      throw error;
    }
  }

  async #resolve(
    context: RequestContext,
    subject: SubjectFacts,
    projectReferences: ProjectReferences,
  ): Promise<ScannedSubject> {
    const tenant = tenantOf(context);
    const { projects } = projectReferences;
    const names = projects.flatMap(({ references, pins }) =>
      [...references, ...pins].map(({ packageName }) => packageName),
    );
    const { catalog } = await this.#services.snapshots.of(tenant, names);
    const { packages, limits } = await this.#services.scanner.resolve({ projects, catalog }, tenant);
    const reachedLimits: ScanLimit[] = catalog.size >= maxLibraries ? ["Libraries"] : [];
    return { ...subject, packages, limits: [...new Set([...projectReferences.limits, ...limits, ...reachedLimits])] };
  }
}

const noTemplate = {
  templateVersionId: null,
  templateName: null,
  semanticVersion: null,
  renderDigest: null,
  contentDigest: null,
};
