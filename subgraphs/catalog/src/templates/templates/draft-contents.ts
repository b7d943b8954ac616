import { DomainError } from "@factory/runtime/errors/domain-error";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { JsonObject } from "@factory/template-engine/json-value";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { requireFramework } from "../../ground/input-problems/require-framework.js";
import type { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import type { PinnedSource } from "../../sources/sources/source-reader.js";
import type { ParameterChecker } from "../parameters/parameter-checker.js";
import type { SchemaFault } from "../parameters/schema-fitness.js";
import { schemaProblem } from "../parameters/schema-limits.js";
import { derivedSchema } from "./content/derived-schema.js";
import { templateDetails } from "./content/template-details.js";
import { parseSemanticVersion } from "./semantic-version.js";
import { templateFacts } from "./template-facts.js";
import type { TemplateVersion } from "./template-version.entity.js";
import type { CreateTemplateVersionInput } from "./template-version.input.js";
import { templateChoice } from "./template-version.view.js";

/** The time to resolve and read a source before the version is stored without its content. */
const resolutionMs = 3000;
/** One tenant's limits. Beyond them, a source is resolved or read when the version is first used. */
const maxResolutions = 8;
/** Each read holds its source in memory, up to 200 MiB. */
const maxReads = 4;

/** A Draft's columns that its input and its source's content determine. */
type DraftContent = Pick<
  TemplateVersion,
  | "semanticVersion"
  | "precedence"
  | "sourceRef"
  | "resolvedRef"
  | "contentDigest"
  | "facts"
  | "details"
  | "templateIdentity"
  | "templateLanguage"
  | "templateType"
  | "engineKind"
  | "targetFramework"
  | "parameterSchema"
  | "parameterSchemaOrigin"
  | "changelog"
>;

/** The columns that are known before the source is reached. */
export type CheckedDraft = Omit<
  DraftContent,
  "resolvedRef" | "contentDigest" | "facts" | "details" | "parameterSchema" | "parameterSchemaOrigin"
> & {
  /** Undefined when it is to be derived. */
  readonly givenSchema: Record<string, unknown> | undefined;
};

/** Prepares the content for new and replaced Drafts. */
export class DraftContents {
  readonly #sources: TemplateSources;
  readonly #parameterChecker: ParameterChecker;
  readonly #resolutions = new ConcurrencyLimiter({ maxPerTenant: maxResolutions }, "resolutions");
  readonly #reads = new ConcurrencyLimiter({ maxPerTenant: maxReads }, "reads of new versions");

  constructor(sources: TemplateSources, parameterChecker: ParameterChecker) {
    this.#sources = sources;
    this.#parameterChecker = parameterChecker;
  }

  /**
   * Resolves the source. Where the schema is to be derived, the source is also read, if three seconds are enough. Throws
   * PARAMETER_SCHEMA_INVALID and SOURCE_REF_INVALID.
   */
  async prepare(context: RequestContext, subject: string, input: CheckedDraft): Promise<DraftContent> {
    const { givenSchema, ...draft } = input;
    if (givenSchema !== undefined) await this.#requireSchema(context, givenSchema);
    const reference = await this.#reach(context, subject, input);
    const files = reference?.source?.files;
    const choice = templateChoice(draft);
    const schema = givenSchema === undefined && files ? derivedSchema(files, choice) : undefined;
    return {
      ...draft,
      resolvedRef: reference?.resolvedRef ?? null,
      contentDigest: reference?.source?.contentDigest ?? null,
      facts: files ? templateFacts(files, choice) : null,
      details: files ? templateDetails(files, choice) : null,
      parameterSchema: givenSchema ?? schema ?? { type: "object" },
      parameterSchemaOrigin: schemaOrigin(givenSchema, schema),
    };
  }

  /** The schema is checked in a worker process, so that a hostile schema can delay only its own tenant. */
  async #requireSchema(context: RequestContext, schema: Record<string, unknown>): Promise<void> {
    const fault = await this.#parameterChecker.schemaFault(withPlainNumbers(schema) as JsonObject, tenantOf(context));
    if (fault) throw schemaRefusal(fault);
  }

  async #reach(
    context: RequestContext,
    subject: string,
    { sourceRef, givenSchema }: CheckedDraft,
  ): Promise<PinnedSource | undefined> {
    const tenant = tenantOf(context);
    const options = (timeoutMs: number) => ({ timeoutMs, subject, trace: context.trace });
    const resolve = (timeoutMs: number) => this.#sources.tryResolve(tenant, sourceRef, options(timeoutMs));
    const readSource = () => this.#sources.tryRead(tenant, sourceRef, options(resolutionMs));
    const { tenantId } = tenant;
    if (givenSchema === undefined) {
      const content = await unlessBusy(() => this.#reads.run(tenantId, readSource));
      if (content !== busy) return content;
    }
    const resolution = await unlessBusy(() => this.#resolutions.run(tenantId, () => resolve(resolutionMs)));
    // The reference is still checked, since a dangerous one must not be stored.
    return resolution === busy ? resolve(1) : resolution;
  }
}

const busy = Symbol("busy");

async function unlessBusy<T>(work: () => Promise<T>): Promise<T | typeof busy> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.code === "RATE_LIMITED") return busy;
    throw error;
  }
}

function schemaOrigin(givenSchema: unknown, schema: unknown): DraftContent["parameterSchemaOrigin"] {
  if (givenSchema !== undefined) return "Given";
  return schema === undefined ? "Open" : "Derived";
}

/** Throws VALIDATION_FAILED and others for what is wrong in the input itself. */
export function checkedDraft(input: CreateTemplateVersionInput): CheckedDraft {
  const version = parseSemanticVersion(input.semanticVersion);
  if (!version)
    throw inputProblem("VALIDATION_FAILED", {
      pointer: "/semanticVersion",
      code: "FORMAT",
      detail: `"${input.semanticVersion}" is not a valid semantic version. Use SemVer 2.0.0 without a leading v, for example 1.2.0.`,
    });
  requireFramework(input.targetFramework, "/targetFramework");
  const givenSchema = input.parameterSchema ?? undefined;
  const problem = givenSchema && schemaProblem(withPlainNumbers(givenSchema));
  if (problem?.code === "UNKNOWN_VALUE") throw schemaRefusal({ pointer: "/$schema", detail: problem.detail });
  if (problem)
    throw inputProblem("VALIDATION_FAILED", {
      pointer: "/parameterSchema",
      code: problem.code,
      detail: problem.detail,
    });
  const { semanticVersion, sourceRef, engineKind, targetFramework } = input;
  return {
    semanticVersion,
    precedence: version.precedence,
    sourceRef,
    templateIdentity: input.templateIdentity ?? null,
    templateLanguage: input.templateLanguage ?? null,
    templateType: input.templateType ?? null,
    engineKind,
    targetFramework,
    givenSchema,
    changelog: input.changelog ?? null,
  };
}

function schemaRefusal({ pointer, detail }: SchemaFault): DomainError {
  return inputProblem("PARAMETER_SCHEMA_INVALID", { pointer: `/parameterSchema${pointer}`, code: "FORMAT", detail });
}
