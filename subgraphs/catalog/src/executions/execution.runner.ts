import type { Database } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt } from "@factory/runtime/jobs/job-queue";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { TemplateError } from "../engine/template-error.js";
import type { RenderingPool } from "../rendering/rendering-pool.js";
import type { SourceReader } from "../sources/source-reader.js";
import type { TargetResolver } from "../targets/target-resolver.js";
import type { TemplateVersionService } from "../template-versions/template-version.service.js";
import type { TemplateService } from "../templates/template.service.js";
import { ClaimLost, ExecutionClaim } from "./execution.claim.js";
import type { Execution } from "./execution.entity.js";
import type { ExecutionPayload } from "./execution.job.js";
import type {
  ExecutionErrorType,
  ExecutionWarningType,
  ManualInstructionType,
  ScaffoldOutputType,
} from "./execution.type.js";
import { scaffoldCommit } from "./scaffold-commit.js";
import { addLibraries } from "./scaffold-libraries.js";

const sourceTimeoutMs = 120_000;

interface RunnerServices {
  readonly database: Database;
  readonly templates: TemplateService;
  readonly versions: TemplateVersionService;
  readonly sources: SourceReader;
  readonly targets: TargetResolver;
  readonly rendering: RenderingPool;
  readonly logger: Logger;
}

interface Scaffold {
  output: ScaffoldOutputType;
  manualInstructions: ManualInstructionType[];
  warnings: ExecutionWarningType[];
}

/** Runs one execution from its source to a commit on the target branch. A second run of it makes no second commit. */
export class ExecutionRunner {
  readonly #services: RunnerServices;

  constructor(services: RunnerServices) {
    this.#services = services;
  }

  async run(payload: ExecutionPayload, attempt: JobAttempt): Promise<void> {
    const claim = await ExecutionClaim.take(this.#services.database, payload);
    if (!claim) return;
    try {
      await this.#complete(claim, await this.#scaffold(claim, attempt.signal));
    } catch (error) {
      if (error instanceof ClaimLost) return;
      const failure = executionError(error);
      if (!failure && !attempt.lastAttempt) throw error;
      if (!failure)
        this.#services.logger.error(
          { err: error, executionId: payload.executionId },
          "execution failed for no known reason",
        );
      await this.#fail(claim, failure ?? { code: "INTERNAL", message: "An internal error occurred.", details: null });
    }
  }

  async #scaffold(claim: ExecutionClaim, signal: AbortSignal): Promise<Scaffold> {
    const { sources, rendering, targets, versions, templates } = this.#services;
    const { execution, tenant } = claim;
    const version = await versions.find(tenant, execution.templateVersionId);
    const template = await templates.find(tenant, execution.templateId);
    if (!version || !template) throw new DomainError("SOURCE_UNAVAILABLE", { detail: "The template version is gone." });
    const source = await sources.read(version.resolvedRef ?? version.sourceRef, { timeoutMs: sourceTimeoutMs, signal });
    await versions.pin(tenant, version, source);
    await claim.enter("Rendering");
    const { parameters, executionId, requestedAt } = execution;
    const rendered = await rendering.render(source.files, {
      name: typeof parameters["name"] === "string" ? parameters["name"] : undefined,
      fallbackName: repositoryName(execution.repository),
      parameters,
      seed: executionId,
      now: requestedAt,
    });
    const target = await targets.open(execution, signal);
    try {
      if (execution.libraries.length > 0) await claim.enter("InjectingLibraries");
      const { files, edits, warnings } = await addLibraries(rendered, execution.libraries, target);
      await claim.enter("Pushing");
      const commit = scaffoldCommit({ execution, template, version, source });
      const pushed = await target.push({ files, edits, commit, onConflict: execution.onConflict });
      return {
        output: {
          repository: execution.cloneUrl,
          branch: execution.branch,
          ...pushed,
          contentDigest: source.contentDigest,
          primaryOutputs: rendered.primaryOutputs,
        },
        manualInstructions: rendered.manualInstructions,
        warnings: [...rendered.warnings, ...warnings],
      };
    } finally {
      await target.close();
    }
  }

  #complete(claim: ExecutionClaim, scaffold: Scaffold): Promise<void> {
    return claim.finish("Completed", (execution, record) => {
      const scaffoldOutputId = newId("sca");
      execution.scaffoldOutputId = scaffoldOutputId;
      execution.output = scaffold.output;
      execution.manualInstructions = scaffold.manualInstructions;
      execution.warnings = [...execution.warnings, ...scaffold.warnings];
      const facts = { ...eventFacts(execution), scaffoldOutputId };
      const subject = `executions/${execution.executionId}`;
      const { repository, branch, commitSha, treeSha, changed, filesCreated, filesUpdated } = scaffold.output;
      record({
        type: "ScaffoldGenerated",
        subject,
        data: { ...facts, repository, branch, commitSha, treeSha, changed, filesCreated, filesUpdated },
      });
      record({ type: "TemplateExecuted", subject, data: { ...facts, outcome: "Completed" } });
    });
  }

  #fail(claim: ExecutionClaim, error: ExecutionErrorType): Promise<void> {
    return claim.finish("Failed", (execution, record) => {
      execution.error = error;
      const { code, message } = error;
      record({
        type: "TemplateExecutionFailed",
        subject: `executions/${execution.executionId}`,
        data: { ...eventFacts(execution), error: { code, message } },
      });
    });
  }
}

function eventFacts({ executionId, templateId, templateVersionId, agentTaskId }: Execution) {
  return { executionId, templateId, templateVersionId, agentTaskId };
}

/** A refusal becomes the execution's error; anything else is a bug or an outage and is tried again. */
function executionError(error: unknown): ExecutionErrorType | undefined {
  if (error instanceof TemplateError)
    return { code: error.code, message: error.message, details: { findings: error.findings } };
  if (!(error instanceof DomainError)) return undefined;
  const { detail, ...details } = error.facts;
  return { code: error.code, message: detail ?? error.code, details: Object.keys(details).length > 0 ? details : null };
}

function repositoryName(repository: string): string {
  const last = repository.split("/").findLast((part) => part !== "") ?? "App";
  return last.replace(/\.git$/, "");
}
