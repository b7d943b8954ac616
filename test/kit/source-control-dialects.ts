import { fromGithub, mergeRequestFromGitlab, type SentDelivery } from "./vendor-senders.js";

/** The real vendor whose API the vendor in the test imitates. */
export type Dialect = "github" | "gitlab";

/** A pull request as the vendor keeps it. */
export interface KeptPullRequest {
  readonly number: number;
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  labels: string[];
  state: "open" | "closed" | "merged";
  changedAt: Date;
  readonly openedAt: Date;
}

const seconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;

/** As GitHub's REST API describes a pull request. */
function asPull(
  origin: string,
  { number, repository, title, body, branch, base, state, openedAt, changedAt }: KeptPullRequest,
) {
  const repo = { full_name: repository };
  const endTime = state === "open" ? null : seconds(changedAt);
  return {
    ...{ number, title, body, html_url: `${origin}/${repository}/pull/${number}` },
    state: state === "open" ? "open" : "closed",
    merged: state === "merged",
    merged_at: state === "merged" ? endTime : null,
    closed_at: endTime,
    ...{ created_at: seconds(openedAt), updated_at: seconds(changedAt) },
    head: { ref: branch, repo },
    base: { ref: base, repo },
  };
}

/** As GitLab's REST API describes a merge request. */
function asMergeRequest(
  origin: string,
  { number, repository, title, body, branch, base, labels, state, openedAt, changedAt }: KeptPullRequest,
) {
  return {
    ...{ id: 10_000 + number, iid: number, title, description: body, labels },
    state: state === "open" ? "opened" : state,
    ...{ source_branch: branch, target_branch: base, source_project_id: 7, target_project_id: 7, project_id: 7 },
    web_url: `${origin}/${repository}/-/merge_requests/${number}`,
    ...{ created_at: openedAt.toISOString(), updated_at: changedAt.toISOString() },
    merged_at: state === "merged" ? changedAt.toISOString() : null,
    closed_at: state === "closed" ? changedAt.toISOString() : null,
  };
}

/** A pull request as the vendor's API describes it. */
export const describePullRequest = (dialect: Dialect, origin: string, pullRequest: KeptPullRequest): object =>
  dialect === "github" ? asPull(origin, pullRequest) : asMergeRequest(origin, pullRequest);

interface Told {
  readonly id: string;
  /** `opened`, `closed` (also by a merge) or `reopened` */
  readonly action: string;
  readonly secret: string;
}

/** The delivery that tells what happened to a pull request. */
export function pullRequestDelivery(
  dialect: Dialect,
  origin: string,
  pullRequest: KeptPullRequest,
  { id, action, secret }: Told,
): SentDelivery {
  if (dialect === "github")
    return fromGithub(secret, id, "pull_request", {
      ...{ action, repository: { full_name: pullRequest.repository }, pull_request: asPull(origin, pullRequest) },
    });
  const { web_url: url, ...rest } = asMergeRequest(origin, pullRequest);
  const endAction = pullRequest.state === "merged" ? "merge" : "close";
  const words: Readonly<Record<string, string>> = { opened: "open", closed: endAction, reopened: "reopen" };
  return mergeRequestFromGitlab(secret, id, {
    object_kind: "merge_request",
    project: { id: 7, path_with_namespace: pullRequest.repository },
    object_attributes: { ...rest, url, action: words[action] },
  });
}
