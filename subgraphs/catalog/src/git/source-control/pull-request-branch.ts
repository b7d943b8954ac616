const prefix = "scaffold/";

/** The branch for an execution whose result becomes a pull request. A repeated push goes to the same branch. */
export const pullRequestBranch = (executionId: string): string => prefix + executionId;

/** The id of the execution that a branch belongs to; undefined for other branches. */
export const executionOfBranch = (branch: string): string | undefined =>
  branch.startsWith(prefix) ? branch.slice(prefix.length) : undefined;
