import type { PullRequestState } from "@factory/schema/vocabularies/executions";
import type { PullRequestFacts } from "../../../git/source-control/source-control.js";

/** An execution's pull request, as it is stored. */
export interface StoredPullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: PullRequestState;
  readonly openedAt: string | null;
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
  /** When the vendor last changed it, as far as is known. Older reports change nothing. */
  readonly changedAt: string | null;
}

/** The title, body and labels that a request gives; null members have a default. */
export interface RequestedPullRequestText {
  readonly title: string | null;
  readonly body: string | null;
  readonly labels: readonly string[];
}

/** Names the pull request among a provider's pull requests. Vendors ignore case in repository names. */
export const pullRequestKey = (repository: string, number: number): string =>
  `${repository.replace(/\.git$/i, "").toLowerCase()}#${number}`;

/**
 * The pull request after a report. A merge is final. A report that is older than the known state changes nothing, so
 * that reports may come late and in any order; out of two at the same time, the one that ends the pull request counts.
 */
export function afterReport(storedPullRequest: StoredPullRequest | null, report: PullRequestFacts): StoredPullRequest {
  const { number, url, state, openedAt, mergedAt, closedAt, changedAt } = report;
  const reportFacts = { number, url, state, openedAt, mergedAt, closedAt, changedAt };
  if (storedPullRequest === null) return reportFacts;
  const mergedFacts = { ...reportFacts, openedAt: storedPullRequest.openedAt ?? openedAt };
  if (storedPullRequest.state === "Merged") return { ...storedPullRequest, openedAt: mergedFacts.openedAt };
  if (state === "Merged") return mergedFacts;
  return isNewer(storedPullRequest, report) ? mergedFacts : { ...storedPullRequest, openedAt: mergedFacts.openedAt };
}

function isNewer(storedPullRequest: StoredPullRequest, { state, changedAt }: PullRequestFacts): boolean {
  if (storedPullRequest.changedAt === null || changedAt === null) return state === "Closed";
  return changedAt > storedPullRequest.changedAt || (changedAt === storedPullRequest.changedAt && state === "Closed");
}
