import type { PullRequestFacts, PullRequestState } from "../../../git/source-control/source-control.js";

/** The pull request of an execution, as it is stored. */
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

/** Names the pull request among those of a provider. Vendors ignore the case of repositories. */
export const pullRequestKey = (repository: string, number: number): string =>
  `${repository.replace(/\.git$/i, "").toLowerCase()}#${number}`;

/**
 * The pull request after a report. A merge is final. A report that is older than the known state changes nothing, so that
 * reports may come late and in any order; of two at the same time, the one that ends the pull request counts.
 */
export function afterReport(known: StoredPullRequest | null, report: PullRequestFacts): StoredPullRequest {
  const { number, url, state, openedAt, mergedAt, closedAt, changedAt } = report;
  const reported = { number, url, state, openedAt, mergedAt, closedAt, changedAt };
  if (known === null) return reported;
  const merged = { ...reported, openedAt: known.openedAt ?? openedAt };
  if (known.state === "Merged") return { ...known, openedAt: merged.openedAt };
  if (state === "Merged") return merged;
  return isNewer(known, report) ? merged : { ...known, openedAt: merged.openedAt };
}

function isNewer(known: StoredPullRequest, { state, changedAt }: PullRequestFacts): boolean {
  if (known.changedAt === null || changedAt === null) return state === "Closed";
  return changedAt > known.changedAt || (changedAt === known.changedAt && state === "Closed");
}
