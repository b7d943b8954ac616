import { JobService } from "@factory/runtime/jobs/job.service";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { AllJobsResolver } from "./all-jobs.resolver.js";
import { AllJobsService } from "./all-jobs.service.js";

export interface JobSettings {
  /** The jobs of the other subgraphs. Absent: this subgraph is alone. */
  readonly otherJobs?: () => Promise<readonly JobService[]>;
}

/** The query `jobs` and the mutation `redriveJob`. */
export const jobs: SliceModule<JobSettings> = {
  slice: "jobs",
  start({ settings, cursors }, services) {
    const others = settings.otherJobs ?? (async () => []);
    services.add(new AllJobsService({ own: services.get(JobService), others, cursors }));
  },
  resolvers: (get) => [new AllJobsResolver(get(AllJobsService))],
};
