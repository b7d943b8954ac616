import { setTimeout as sleep } from "node:timers/promises";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { pullRequestBranch } from "../../../git/source-control/pull-request-branch.js";
import type {
  OpenedPullRequest,
  PullRequestFacts,
  RepositoryUse,
  SourceControl,
  WantedPullRequest,
} from "../../../git/source-control/source-control.js";
import { isPassing, vendorFailure } from "../../../git/source-control/vendor-failure.js";
import type { Execution } from "../record/execution.entity.js";
import type { ExecutionWarningType } from "../record/execution.type.js";
import type { Origin } from "./scaffolding.js";

/** The execution, with the origin of its files. */
type Order = { readonly execution: Readonly<Execution> } & Pick<Origin, "template" | "version">;

interface OpeningOptions {
  readonly connectionId: string;
  /** Without a change there is nothing to merge, unless the pull request was merged already. */
  readonly changed: boolean;
  readonly signal: AbortSignal;
}

/** An opening's result. */
interface Opening {
  readonly branch: string;
  readonly pullRequest: PullRequestFacts | null;
  readonly warnings: readonly ExecutionWarningType[];
}

/** The pauses before further attempts while the vendor is unable. */
const delaysMs = [1_000, 2_000, 5_000, 10_000, 20_000];

/** Opens an execution's pull request after its push. A second run finds the first run's pull request. */
export class PullRequestOpening {
  readonly #sourceControl: SourceControl;

  constructor(sourceControl: SourceControl) {
    this.#sourceControl = sourceControl;
  }

  /** Throws TARGET_UNAVAILABLE when the vendor stays unable, and TARGET_FORBIDDEN when it refuses. */
  async open(order: Order, { connectionId, changed, signal }: OpeningOptions): Promise<Opening> {
    const { tenantId, executionId, repository, traceparent } = order.execution;
    const subject = `executions/${executionId}`;
    const use = { tenantId, connectionId, repository, subject, trace: continueTrace(traceparent) };
    const wantedRequest = { ...wantedPullRequest(order), onlyFind: !changed };
    const openedRequest = await this.#opened(use, wantedRequest, signal);
    const warnings = [...(openedRequest ? [] : [notNeeded]), ...(openedRequest?.labeled === false ? [notLabeled] : [])];
    return { branch: wantedRequest.branch, pullRequest: openedRequest?.pullRequest ?? null, warnings };
  }

  async #opened(
    use: RepositoryUse,
    wantedRequest: WantedPullRequest,
    signal: AbortSignal,
  ): Promise<OpenedPullRequest | undefined> {
    for (const delayMs of [...delaysMs, undefined]) {
      signal.throwIfAborted();
      try {
        return await this.#sourceControl.openPullRequest(use, wantedRequest);
      } catch (error) {
        if (delayMs === undefined || !isPassing(error)) throw vendorFailure(error);
      }
      await sleep(delayMs, undefined, { signal });
    }
    return undefined;
  }
}

function wantedPullRequest({ execution, template, version }: Order): Omit<WantedPullRequest, "onlyFind"> {
  const { executionId, branch: baseBranch, requestedPullRequest } = execution;
  const title = `Scaffold ${template.name} ${version.semanticVersion}`.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200);
  return {
    branch: pullRequestBranch(executionId),
    baseBranch,
    title: requestedPullRequest?.title ?? title,
    body:
      requestedPullRequest?.body ??
      `The template ${JSON.stringify(template.name)} in version ${version.semanticVersion} made this change.\n\nExecution: ${executionId}`,
    labels: requestedPullRequest?.labels ?? [],
  };
}

const notNeeded: ExecutionWarningType = {
  code: "PullRequestNotNeeded",
  message: "The base branch has exactly this result already, so no pull request was opened.",
};
const notLabeled: ExecutionWarningType = {
  code: "LabelsRefused",
  message: "The vendor has refused the labels of the pull request.",
};
