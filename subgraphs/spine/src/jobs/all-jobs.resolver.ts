import { Auth } from "@factory/runtime/graphql/auth";
import { JobConnection, JobType } from "@factory/runtime/jobs/job.type";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import type { AllJobsService } from "./all-jobs.service.js";

@Resolver()
export class AllJobsResolver {
  readonly #jobs: AllJobsService;

  constructor(jobs: AllJobsService) {
    this.#jobs = jobs;
  }

  @Query(() => JobConnection, {
    description: "The background jobs of the tenant that run, wait for their next attempt or have failed.",
  })
  @Auth({ scopes: ["jobs.read"] })
  jobs(
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<JobConnection> {
    return this.#jobs.list(context, { first, after });
  }

  @Mutation(() => JobType, {
    description:
      "Sends a failed job again, once. Where retriedBy of the job names an operation, call that operation instead.",
  })
  @Auth({ scopes: ["jobs.manage"] })
  redriveJob(@Arg("jobId", () => ID) jobId: string, @Ctx() context: RequestContext): Promise<JobType> {
    return this.#jobs.redrive(context, jobId);
  }
}
