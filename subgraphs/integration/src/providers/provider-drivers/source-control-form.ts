/** A pull request's states in the platform's words. */
const pullRequestStates = ["Open", "Merged", "Closed"] as const;

/** The state that a pull request has. */
export type PullRequestState = (typeof pullRequestStates)[number];

/** Where a pull request's values stand, as `body:<JSON pointer>`: in an answer's item, or in a delivery. */
export interface PullRequestPlaces {
  readonly number: string;
  readonly url: string;
  readonly state: string;
  readonly branch: string;
  readonly openedAt: string;
  readonly changedAt: string;
  readonly mergedAt: string;
  readonly closedAt: string;
  /** Two values that are equal where the branch is in the repository itself, and not in a fork. */
  readonly origins: readonly [source: string, target: string];
}

/**
 * How a vendor's repositories and pull requests are reached. The placeholders in paths are `{repository}` (the whole
 * name), `{owner}` and `{name}`, `{branch}`, `{baseBranch}` and `{number}`. Bodies are templates as for commands, over
 * the same values with `title`, `body` and `labels`.
 */
export interface SourceControlForm {
  /** The git origin for an API origin. Other vendors serve both from one origin. */
  readonly gitOrigins: Readonly<Record<string, string>>;
  /** The user name that git sends with a token. */
  readonly gitUsername: string;
  /** The largest number of names in a repository, which is 2 for `owner/name`. */
  readonly maxNames: number;
  /** Answers with the list of a branch's pull requests, in any state. */
  readonly find: { readonly path: string };
  readonly open: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  /** For vendors that take no labels when a pull request is opened. */
  readonly label?: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  readonly answer: PullRequestPlaces;
  /** The deliveries that tell about a pull request. */
  readonly delivery: PullRequestPlaces & { readonly event: string; readonly repository: string };
  /** The states in the vendor's words. A pull request with a merge time is Merged. */
  readonly states: Readonly<Record<string, PullRequestState>>;
}
