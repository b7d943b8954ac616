import type { PullRequestPlaces, SourceControlForm } from "../provider-drivers/source-control-form.js";

const value = (pointer: string) => ({ $value: pointer });

const githubPlaces = (at: string): PullRequestPlaces => ({
  number: `body:${at}/number`,
  url: `body:${at}/html_url`,
  state: `body:${at}/state`,
  branch: `body:${at}/head/ref`,
  openedAt: `body:${at}/created_at`,
  changedAt: `body:${at}/updated_at`,
  mergedAt: `body:${at}/merged_at`,
  closedAt: `body:${at}/closed_at`,
  origins: [`body:${at}/head/repo/full_name`, `body:${at}/base/repo/full_name`],
});

const gitlabPlaces = (at: string, url: string): PullRequestPlaces => ({
  number: `body:${at}/iid`,
  url: `body:${at}/${url}`,
  state: `body:${at}/state`,
  branch: `body:${at}/source_branch`,
  openedAt: `body:${at}/created_at`,
  changedAt: `body:${at}/updated_at`,
  mergedAt: `body:${at}/merged_at`,
  closedAt: `body:${at}/closed_at`,
  origins: [`body:${at}/source_project_id`, `body:${at}/target_project_id`],
});

const forms: Readonly<Record<string, SourceControlForm>> = {
  github: {
    gitOrigins: { "https://api.github.com": "https://github.com" },
    gitUsername: "x-access-token",
    maxNames: 2,
    find: { path: "/repos/{owner}/{name}/pulls?state=all&head={owner}:{branch}&base={baseBranch}" },
    open: {
      path: "/repos/{owner}/{name}/pulls",
      body: { title: value("/title"), body: value("/body"), head: value("/branch"), base: value("/baseBranch") },
    },
    label: { path: "/repos/{owner}/{name}/issues/{number}/labels", body: { labels: value("/labels") } },
    answer: githubPlaces(""),
    delivery: { ...githubPlaces("/pull_request"), event: "pull_request", repository: "body:/repository/full_name" },
    states: { open: "Open", closed: "Closed" },
  },
  gitlab: {
    gitOrigins: {},
    gitUsername: "oauth2",
    maxNames: 20,
    find: {
      path: "/projects/{repository}/merge_requests?state=all&source_branch={branch}&target_branch={baseBranch}",
    },
    open: {
      path: "/projects/{repository}/merge_requests",
      body: {
        title: value("/title"),
        description: value("/body"),
        source_branch: value("/branch"),
        target_branch: value("/baseBranch"),
        labels: value("/labels"),
      },
    },
    answer: gitlabPlaces("", "web_url"),
    delivery: {
      ...gitlabPlaces("/object_attributes", "url"),
      event: "Merge Request Hook",
      repository: "body:/project/path_with_namespace",
    },
    states: { opened: "Open", locked: "Open", merged: "Merged", closed: "Closed" },
  },
};

/** How repositories are reached at a preset's vendor; undefined for other vendors. */
export const sourceControlForm = (preset: string | null): SourceControlForm | undefined =>
  preset !== null && Object.hasOwn(forms, preset) ? forms[preset] : undefined;

/** The form for a vendor whose event with this name, with or without an action, tells about a pull request. */
export function pullRequestForm(preset: string | null, eventName: string): SourceControlForm | undefined {
  const form = sourceControlForm(preset);
  const isReport = form && (eventName === form.delivery.event || eventName.startsWith(`${form.delivery.event}.`));
  return isReport ? form : undefined;
}
