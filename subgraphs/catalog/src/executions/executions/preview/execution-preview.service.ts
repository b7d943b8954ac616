import { newId } from "@factory/runtime/identifiers/wire-id";
import { traceparent } from "@factory/runtime/telemetry/trace";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TargetResolver } from "../../../targets/targets/target-resolver.js";
import type { Execution } from "../record/execution.entity.js";
import type { RequestExecutionInput } from "../request/execution.input.js";
import type { ExecutionAcceptance } from "../request/execution-acceptance.js";
import type { EarlierRenders } from "../run/earlier-renders.js";
import { executionError } from "../run/execution-error.js";
import { renderOnTarget, withTemplateEdits } from "../run/render-on-target.js";
import { addLibraries } from "../run/scaffold-libraries.js";
import type { Scaffolding, ScaffoldOrder } from "../run/scaffolding.js";
import type { ExecutionPreviewType } from "./execution-preview.type.js";
import { previewFiles } from "./preview-files.js";

interface PreviewServices {
  readonly acceptance: ExecutionAcceptance;
  readonly scaffolding: Scaffolding;
  readonly targets: TargetResolver;
  readonly earlierRenders: EarlierRenders;
}

type PreviewOrder = ScaffoldOrder &
  Pick<Execution, "branch" | "credentialRef" | "connectionId" | "onConflict" | "libraries">;

/** A preview's members, as a plain object. */
type PreviewOutcome = Pick<ExecutionPreviewType, keyof ExecutionPreviewType>;

const limitMs = 30_000;
const maxConcurrent = 3;

/** Previews an execution: fetches the source, renders it and compares the result with the target. Stores nothing. */
export class ExecutionPreviewService {
  readonly #services: PreviewServices;
  readonly #limiter = new ConcurrencyLimiter({ maxPerTenant: maxConcurrent }, "previews");

  constructor(services: PreviewServices) {
    this.#services = services;
  }

  preview(context: RequestContext, templateId: string, input: RequestExecutionInput): Promise<ExecutionPreviewType> {
    return this.#limiter.run(tenantOf(context).tenantId, () => this.#preview(context, templateId, input));
  }

  async #preview(
    context: RequestContext,
    templateId: string,
    input: RequestExecutionInput,
  ): Promise<ExecutionPreviewType> {
    // an author may try what only published versions may be executed with
    const allowsDrafts = principalOf(context).scopes.has("templates.write");
    const request = { templateId, input };
    const { target, parameters, warnings, version } = await this.#services.acceptance.check(context, request, {
      allowsDrafts,
    });
    const order: PreviewOrder = {
      tenantId: tenantOf(context).tenantId,
      executionId: newId("exe"),
      templateId,
      templateVersionId: input.templateVersionId,
      templateRevision: version.revision,
      parameters,
      repository: target.repository,
      branch: target.branch,
      directory: target.directory,
      nameDirectory: target.nameDirectory,
      credentialRef: target.credentialRef,
      connectionId: target.connection?.connectionId ?? null,
      onConflict: target.onConflict,
      libraries: input.libraries ?? [],
      requestedAt: new Date(),
      traceparent: traceparent(context.trace),
    };
    try {
      const outcome = await this.#compare(order, AbortSignal.timeout(limitMs));
      return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
    } catch (error) {
      const failure = executionError(error);
      if (!failure || failure.code === "RATE_LIMITED") throw error;
      return { ...nothing, warnings, error: failure };
    }
  }

  async #compare(order: PreviewOrder, signal: AbortSignal): Promise<PreviewOutcome> {
    const { scaffolding, targets, earlierRenders } = this.#services;
    const fetchedOrigin = await scaffolding.fetch(order, { timeoutMs: limitMs, signal });
    await scaffolding.requireKnownNames(fetchedOrigin, order, signal);
    const place = await renderOnTarget({ scaffolding, targets }, fetchedOrigin, { order, signal });
    const { rendered, target, targetTexts } = place;
    try {
      const { files, edits, warnings } = await addLibraries(rendered, order.libraries, target);
      const mergeBase = (executionId: string) => earlierRenders.find(order, executionId, { signal, targetTexts });
      const { files: plannedFiles, refusal } = await target.plan({
        files,
        edits: withTemplateEdits(edits, place),
        onConflict: order.onConflict,
        mergeBase,
      });
      return {
        ...(await previewFiles(plannedFiles, signal)),
        primaryOutputs: rendered.primaryOutputs,
        contentDigest: fetchedOrigin.origin.source.contentDigest,
        manualInstructions: rendered.manualInstructions,
        warnings: [...rendered.warnings, ...warnings],
        error: (refusal && executionError(refusal)) ?? null,
      };
    } finally {
      await target.close();
    }
  }
}

const nothing = { files: [], truncated: false, primaryOutputs: [], contentDigest: null, manualInstructions: [] };
