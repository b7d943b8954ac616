import { type ValueOf, vocabulary } from "./vocabulary.js";

export const jobStates = vocabulary("JobState", "The states of a background job.", {
  Running: "The job runs.",
  Retrying: "The job waits for its next attempt.",
  Failed: "All attempts have failed.",
  Redriven: "The job had failed and was sent again as a new job.",
});
export type JobState = ValueOf<typeof jobStates>;
