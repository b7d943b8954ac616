import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JobService } from "@factory/runtime/jobs/job.service";
import type { JobType } from "@factory/runtime/jobs/job.type";
import { jobConnection } from "@factory/runtime/jobs/job-list";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";

/** The jobs of all subgraphs. */
export class AllJobsService {
  readonly #ownJobs: JobService;
  readonly #otherJobs: () => Promise<readonly JobService[]>;
  readonly #cursors: CursorSeal;

  constructor(parts: { own: JobService; others: () => Promise<readonly JobService[]>; cursors: CursorSeal }) {
    this.#ownJobs = parts.own;
    this.#otherJobs = parts.others;
    this.#cursors = parts.cursors;
  }

  async list(context: RequestContext, { first, after }: PageRequest<never>): Promise<Connection<JobType>> {
    return jobConnection(this.#cursors, await this.#services(), { context, first, after });
  }

  /** Sends the job again where it is. Throws JOB_NOT_FOUND where no subgraph has it, or INVALID_STATE. */
  async redrive(context: RequestContext, jobId: string): Promise<JobType> {
    const [first, ...others] = await this.#services();
    let redriven = first.redrive(context, "redriveJob", jobId);
    for (const service of others)
      redriven = redriven.catch((error: unknown) => {
        if (!(error instanceof DomainError && error.code === "JOB_NOT_FOUND")) throw error;
        return service.redrive(context, "redriveJob", jobId);
      });
    return redriven;
  }

  async #services(): Promise<readonly [JobService, ...JobService[]]> {
    return [this.#ownJobs, ...(await this.#otherJobs())];
  }
}
