import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { pullRequestBranch } from "../../../git/source-control/pull-request-branch.js";
import type { PullRequestFacts } from "../../../git/source-control/source-control.js";
import type { Execution } from "./execution.entity.js";
import { eventFacts } from "./execution-event-data.js";
import { afterReport, pullRequestKey, type StoredPullRequest } from "./pull-request.js";

const eventOf = {
  Open: "ScaffoldPullRequestReopened",
  Merged: "ScaffoldPullRequestMerged",
  Closed: "ScaffoldPullRequestClosed",
} as const satisfies Record<StoredPullRequest["state"], EventType>;

/**
 * Stores what is known about an execution's pull request, in the transaction that has locked its row, and records an
 * event for each change in its state.
 */
export function notePullRequest(
  execution: Execution,
  { record }: Pick<Transaction, "record">,
  facts: PullRequestFacts,
): void {
  const before = execution.pullRequest;
  const after = afterReport(before, facts);
  execution.pullRequest = after;
  execution.pullRequestKey = pullRequestKey(execution.repository, after.number);
  const { executionId, connectionId, repository, branch: baseBranch } = execution;
  const { number, url, openedAt, mergedAt, closedAt } = after;
  const announce = (type: EventType, state: StoredPullRequest["state"]) =>
    record({
      type,
      subject: `executions/${executionId}`,
      data: {
        ...eventFacts(execution),
        ...{ connectionId, repository, branch: pullRequestBranch(executionId), baseBranch },
        ...{ number, url, state, openedAt, mergedAt, closedAt },
      },
    });
  if (before === null) announce("ScaffoldPullRequestOpened", after.state);
  const isNew = before === null ? after.state !== "Open" : before.state !== after.state;
  if (isNew) announce(eventOf[after.state], after.state);
}
