import { type ValueOf, vocabulary } from "./vocabulary.js";

export const executionStatuses = vocabulary("ExecutionStatus", "The states of an execution.", {
  Requested: "The execution waits for a worker.",
  Running: "A worker renders the template or writes the result.",
  Completed: "The result is in the target repository.",
  Failed: "The execution has ended with an error.",
  Cancelled: "A caller has cancelled the execution.",
});
export type ExecutionStatus = ValueOf<typeof executionStatuses>;

export const executionPhases = vocabulary("ExecutionPhase", "The phases of an execution that is not final.", {
  Queued: "The execution waits for a worker.",
  FetchingSource: "The content of the template is fetched.",
  Rendering: "The template is rendered.",
  InjectingLibraries: "The libraries are added to the projects.",
  Pushing: "The result is written to the target repository.",
  OpeningPullRequest: "The pull request is opened at the vendor.",
});
export type ExecutionPhase = ValueOf<typeof executionPhases>;

export const pullRequestStates = vocabulary("PullRequestState", "The states of a pull request at its vendor.", {
  Open: "The pull request waits for its merge.",
  Merged: "The changes are in the target branch.",
  Closed: "The pull request was closed without a merge.",
});
export type PullRequestState = ValueOf<typeof pullRequestStates>;

export const conflictStrategies = vocabulary(
  "ConflictStrategy",
  "The ways to treat a file that exists in the target and differs from the produced one.",
  {
    fail: "The execution fails and changes nothing.",
    overwrite: "The produced file replaces the file of the target.",
    merge: "A three-way merge, whose base is the last render of the template. A conflict fails the execution.",
  },
);
export type ConflictStrategy = ValueOf<typeof conflictStrategies>;

export const scaffoldFileChanges = vocabulary("ScaffoldFileChange", "The changes to a file of the target.", {
  Created: "The file is new.",
  Updated: "The content has changed.",
  Unchanged: "The target had the same content already.",
  Deleted: "A merge has deleted the file, because the template no longer produces it and nobody had changed it.",
});
export type ScaffoldFileChange = ValueOf<typeof scaffoldFileChanges>;
