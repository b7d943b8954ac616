import { DomainError } from "@factory/runtime/errors/domain-error";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { RenderResult } from "@factory/template-engine/render";
import { readsTarget } from "@factory/template-engine/target-files";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import type { TemplateSources } from "../../../sources/remote-credentials/template-sources.js";
import type { ReadSource } from "../../../sources/sources/source-reader.js";
import type { ParameterChecker } from "../../../templates/parameters/parameter-checker.js";
import type { TemplateService } from "../../../templates/templates/template.service.js";
import type { TemplateType } from "../../../templates/templates/template.type.js";
import type { TemplateVersionService } from "../../../templates/templates/template-version.service.js";
import type { TemplateVersionType } from "../../../templates/templates/template-version.type.js";
import { type KnownParameters, templateChoice } from "../../../templates/templates/template-version.view.js";
import type { TemplateRenderer } from "../../../workers/rendering/template-renderer.js";
import type { Execution } from "../record/execution.entity.js";
import { checkedParameters } from "../request/checked-parameters.js";

/** The services that `Scaffolding` uses. */
export interface ScaffoldingServices {
  readonly templates: TemplateService;
  readonly versions: TemplateVersionService;
  readonly sources: TemplateSources;
  readonly renderer: TemplateRenderer;
  readonly parameterChecker: ParameterChecker;
}

/** The execution members that determine its files. */
export type ScaffoldOrder = Pick<
  Execution,
  | "tenantId"
  | "executionId"
  | "templateId"
  | "templateVersionId"
  | "templateRevision"
  | "parameters"
  | "repository"
  | "directory"
  | "nameDirectory"
  | "requestedAt"
  | "traceparent"
>;

/** A scaffold's template, version and source, without the bytes. */
export interface Origin {
  readonly template: TemplateType;
  readonly version: TemplateVersionType;
  readonly source: Omit<ReadSource, "files">;
}

interface RenderOptions {
  readonly signal: AbortSignal;
  /** The target's texts that the template may read, by path. */
  readonly targetTexts?: ReadonlyMap<string, string> | undefined;
}

/** An origin with its files. */
export interface FetchedOrigin {
  readonly origin: Origin;
  /** Release them after the render: a large template is in memory several times. */
  readonly files: FileTree;
  /** The names are null when the template cannot be read. Rendering reports why. */
  readonly known: KnownParameters;
}

/** The parts of an execution that depend on its request alone: the same order always gives the same files. */
export class Scaffolding {
  readonly #services: ScaffoldingServices;

  constructor(services: ScaffoldingServices) {
    this.#services = services;
  }

  /** Reads the version's source. Throws errors with codes SOURCE_…. */
  async fetch(order: ScaffoldOrder, options: { timeoutMs: number; signal: AbortSignal }): Promise<FetchedOrigin> {
    const { sources, versions, templates } = this.#services;
    const tenant: Tenant = tenantWithId(order.tenantId);
    const [version, template] = await Promise.all([
      versions.at(tenant, order.templateVersionId, order.templateRevision),
      templates.find(tenant, order.templateId),
    ]);
    if (!version || !template)
      throw new DomainError("SOURCE_UNAVAILABLE", {
        detail: "The template version no longer exists. Request an execution of another version.",
      });
    const source = await sources.read(tenant, version.resolvedRef ?? version.sourceRef, {
      ...options,
      subject: `executions/${order.executionId}`,
      trace: continueTrace(order.traceparent),
    });
    const pinnedVersion = await versions.pin(tenant, version, source);
    const { files, ...facts } = source;
    return { origin: { template, version, source: facts }, files, known: pinnedVersion };
  }

  /** Checks the parameter names, since the template may have been unknown when they were accepted. */
  async requireKnownNames(
    { origin, known: { parameterNames: templateNames, parameterAliases: aliases } }: FetchedOrigin,
    { parameters, tenantId }: ScaffoldOrder,
    signal: AbortSignal,
  ): Promise<void> {
    const knownNames = new Set(templateNames);
    if (templateNames === null || Object.keys(parameters).every((name) => knownNames.has(name))) return;
    const { parameterSchema, parameterSchemaOrigin } = origin.version;
    const question = { parameterSchema, parameterSchemaOrigin, parameters, templateNames, aliases };
    await checkedParameters(this.#services.parameterChecker, question, { tenantId, signal });
  }

  /** Whether the template reads or edits files in its target. */
  readsTarget({ origin, files }: FetchedOrigin): boolean {
    try {
      return readsTarget(loadTemplatePack(files, templateChoice(origin.version)));
    } catch (error) {
      // Rendering reports the error.
      if (error instanceof TemplateError) return false;
      throw error;
    }
  }

  /** Renders in a worker process. Throws TemplateError and RENDER_TIMEOUT. */
  render(
    { origin, files }: FetchedOrigin,
    order: ScaffoldOrder,
    { signal, targetTexts }: RenderOptions,
  ): Promise<RenderResult> {
    const { parameters, executionId, requestedAt, repository, tenantId, directory, nameDirectory } = order;
    return this.#services.renderer.render(
      files,
      {
        name: typeof parameters["name"] === "string" ? parameters["name"] : undefined,
        fallbackName: repositoryName(repository),
        parameters,
        seed: executionId,
        now: requestedAt,
        targetFramework: origin.version.targetFramework,
        template: templateChoice(origin.version),
        target: { directory, files: targetTexts ?? new Map() },
        nameDirectory,
      },
      { tenantId, signal },
    );
  }
}

function repositoryName(repository: string): string {
  const last = repository.split("/").findLast((part) => part !== "") ?? "App";
  return last.replace(/\.git$/, "");
}
