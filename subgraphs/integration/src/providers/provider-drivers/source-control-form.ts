/** The states of a pull request in the words of the platform. */
const pullRequestStates = ["Open", "Merged", "Closed"] as const;

/** The state of a pull request. */
export type PullRequestState = (typeof pullRequestStates)[number];

/** Where the values of a pull request stand, as `body:<JSON pointer>`: in an item of an answer, or in a delivery. */
export interface PullRequestPlaces {
  readonly number: string;
  readonly url: string;
  readonly state: string;
  readonly branch: string;
  readonly openedAt: string;
  readonly changedAt: string;
  readonly mergedAt: string;
  readonly closedAt: string;
  /** Two values that are equal where the branch is one of the repository itself, and not of a fork. */
  readonly origins: readonly [source: string, target: string];
}

/**
 * How repositories and pull requests of a vendor are reached. The placeholders of paths are `{repository}` (the whole
 * name), `{owner}` and `{name}`, `{branch}`, `{baseBranch}` and `{number}`. Bodies are templates as those of commands,
 * over the same values with `title`, `body` and `labels`.
 */
export interface SourceControlForm {
  /** The origin of git for an origin of the API. Other vendors serve both from one origin. */
  readonly gitOrigins: Readonly<Record<string, string>>;
  /** The user name that git sends with a token. */
  readonly gitUsername: string;
  /** The largest number of names in a repository, which is 2 for `owner/name`. */
  readonly maxNames: number;
  /** Answers with the list of the pull requests of a branch, in any state. */
  readonly find: { readonly path: string };
  readonly open: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  /** For vendors that take no labels when a pull request is opened. */
  readonly label?: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  readonly answer: PullRequestPlaces;
  /** The deliveries that tell of a pull request. */
  readonly delivery: PullRequestPlaces & { readonly event: string; readonly repository: string };
  /** The states in the words of the vendor. A pull request with a time of its merge is Merged. */
  readonly states: Readonly<Record<string, PullRequestState>>;
}
