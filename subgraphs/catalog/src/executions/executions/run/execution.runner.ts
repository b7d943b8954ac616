import { isOutage } from "@factory/runtime/errors/unavailable";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt } from "@factory/runtime/jobs/queue/job-queue";
import { RunLost, withCancellation } from "@factory/runtime/runs/run-lost";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { scratchRoot } from "../../../git/git/environment.js";
import type { PullRequestFacts } from "../../../git/source-control/source-control.js";
import type { LandedFile as WrittenFile } from "../../../targets/targets/scaffold.js";
import type { TargetResolver } from "../../../targets/targets/target-resolver.js";
import type {
  ExecutionErrorType,
  ExecutionWarningType,
  ManualInstructionType,
  ScaffoldOutputType,
} from "../record/execution.type.js";
import { eventFacts } from "../record/execution-event-data.js";
import type { ExecutionPayload } from "../record/execution-job.js";
import { executionTable } from "../record/execution-steps.js";
import { notePullRequest } from "../record/pull-request-events.js";
import type { ScaffoldFileType } from "../record/scaffold-file.type.js";
import { writeScaffoldFiles } from "../record/write-scaffold-files.js";
import { scaffoldCommit } from "./commit-message.js";
import type { EarlierRenders } from "./earlier-renders.js";
import { ExecutionClaim } from "./execution-claim.js";
import { executionError } from "./execution-error.js";
import { internalError, recordFailure } from "./execution-failure.js";
import type { PullRequestOpening } from "./pull-request-opening.js";
import { renderOnTarget, withTemplateEdits } from "./render-on-target.js";
import { addLibraries } from "./scaffold-libraries.js";
import type { Origin, Scaffolding } from "./scaffolding.js";

const sourceTimeoutMs = 120_000;

export interface RunnerServices {
  readonly database: Database;
  readonly scaffolding: Scaffolding;
  readonly targets: TargetResolver;
  readonly earlierRenders: EarlierRenders;
  readonly pullRequests: PullRequestOpening;
  readonly watch: StepWatch;
  readonly logger: Logger;
}

interface Scaffold {
  /** Null without a connection, and without a change. */
  pullRequest: PullRequestFacts | null;
  output: ScaffoldOutputType;
  files: ScaffoldFileType[];
  manualInstructions: ManualInstructionType[];
  warnings: ExecutionWarningType[];
}

/** Runs one execution, from its source to a commit on the target branch. A second run makes no second commit. */
export class ExecutionRunner {
  readonly #services: RunnerServices;

  constructor(services: RunnerServices) {
    this.#services = services;
  }

  async run(payload: ExecutionPayload, attempt: JobAttempt): Promise<void> {
    const run = executionTable.uuid(payload.executionId);
    await withCancellation(this.#services.watch, run, async (cancelSignal) => {
      await scratchRoot.usable(attempt.signal);
      const claim = await ExecutionClaim.take(this.#services.database, payload);
      if (claim) await this.#runClaimed(claim, attempt, cancelSignal);
    });
  }

  async #runClaimed(claim: ExecutionClaim, attempt: JobAttempt, cancelSignal: AbortSignal): Promise<void> {
    try {
      const signal = AbortSignal.any([attempt.signal, cancelSignal]);
      await this.#services.targets.usable(claim.execution, signal);
      await this.#complete(claim, await this.#scaffold(claim, signal));
      failpoint("execution.completed");
    } catch (error) {
      if (error instanceof RunLost || cancelSignal.aborted) return;
      // The process stops, or database or files are away: the next run starts from the beginning.
      if (attempt.signal.aborted || isOutage(error)) throw error;
      const failure = executionError(error);
      if (!failure && !attempt.lastAttempt) throw error;
      if (!failure)
        this.#services.logger.error(
          { err: error, executionId: claim.execution.executionId },
          "execution failed unexpectedly",
        );
      await this.#fail(claim, failure ?? internalError);
    }
  }

  async #scaffold(claim: ExecutionClaim, signal: AbortSignal): Promise<Scaffold> {
    const { earlierRenders } = this.#services;
    const { execution } = claim;
    failpoint("execution.fetching");
    const { origin, ...place } = await this.#render(claim, signal);
    const { rendered, target, targetTexts } = place;
    try {
      if (execution.libraries.length > 0) await claim.enter("InjectingLibraries");
      failpoint("execution.injecting");
      const { files, edits, warnings } = await addLibraries(rendered, execution.libraries, target);
      // From here on the execution cannot be cancelled, since its commit may be pushed.
      await claim.enter("Pushing");
      failpoint("execution.pushing");
      const { files: writtenFiles, ...pushResult } = await target.push({
        files,
        edits: withTemplateEdits(edits, place),
        commit: scaffoldCommit({ execution, ...origin }),
        onConflict: execution.onConflict,
        mergeBase: (executionId) => earlierRenders.find(execution, executionId, { signal, targetTexts }),
      });
      failpoint("execution.pushed");
      const opening = await this.#openPullRequest(claim, origin, { changed: pushResult.changed, signal });
      return {
        pullRequest: opening.pullRequest,
        output: {
          repository: execution.cloneUrl,
          branch: opening.branch,
          ...pushResult,
          contentDigest: origin.source.contentDigest,
          primaryOutputs: rendered.primaryOutputs,
        },
        files: writtenFiles.map(scaffoldFile),
        manualInstructions: rendered.manualInstructions,
        warnings: [...rendered.warnings, ...warnings, ...opening.warnings],
      };
    } finally {
      await target.close();
    }
  }

  async #openPullRequest(
    claim: ExecutionClaim,
    origin: Origin,
    { changed, signal }: { changed: boolean; signal: AbortSignal },
  ): Promise<{ branch: string; pullRequest: PullRequestFacts | null; warnings: readonly ExecutionWarningType[] }> {
    const { execution } = claim;
    if (execution.connectionId === null) return { branch: execution.branch, pullRequest: null, warnings: [] };
    await claim.enter("OpeningPullRequest");
    const order = { execution, ...origin };
    return this.#services.pullRequests.open(order, { connectionId: execution.connectionId, changed, signal });
  }

  /** A function of its own, so that the fetched files are freed once they are rendered. */
  async #render(claim: ExecutionClaim, signal: AbortSignal) {
    const { execution } = claim;
    const { scaffolding, targets } = this.#services;
    const fetchedOrigin = await scaffolding.fetch(execution, { timeoutMs: sourceTimeoutMs, signal });
    await scaffolding.requireKnownNames(fetchedOrigin, execution, signal);
    await claim.enter("Rendering");
    failpoint("execution.rendering");
    const place = await renderOnTarget({ scaffolding, targets }, fetchedOrigin, { order: execution, signal });
    return { origin: fetchedOrigin.origin, ...place };
  }

  #complete(claim: ExecutionClaim, scaffold: Scaffold): Promise<void> {
    return claim.finish("Completed", async (execution, transaction) => {
      const scaffoldOutputId = newId("sca");
      execution.scaffoldOutputId = scaffoldOutputId;
      execution.output = scaffold.output;
      execution.manualInstructions = scaffold.manualInstructions;
      execution.warnings = [...execution.warnings, ...scaffold.warnings];
      await writeScaffoldFiles(transaction, scaffoldOutputId, scaffold.files);
      const facts = { ...eventFacts(execution), scaffoldOutputId };
      const subject = `executions/${execution.executionId}`;
      const { repository, branch, commitSha, treeSha, changed, filesCreated, filesUpdated } = scaffold.output;
      transaction.record({
        type: "ScaffoldGenerated",
        subject,
        data: { ...facts, repository, branch, commitSha, treeSha, changed, filesCreated, filesUpdated },
      });
      transaction.record({ type: "TemplateExecuted", subject, data: { ...facts, outcome: "Completed" } });
      if (scaffold.pullRequest) notePullRequest(execution, transaction, scaffold.pullRequest);
    });
  }

  #fail(claim: ExecutionClaim, error: ExecutionErrorType): Promise<void> {
    return claim.finish("Failed", (execution, transaction) => recordFailure(execution, transaction, error));
  }
}

function scaffoldFile({ path, change, mode, size, blobSha }: WrittenFile): ScaffoldFileType {
  return { path, change, executable: mode === "100755", size, blobSha };
}
