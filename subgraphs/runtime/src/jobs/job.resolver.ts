import { PageArguments } from "../pagination/page-arguments.js";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { Args, Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Auth } from "../graphql/auth.js";
import type { RequestContext } from "../tenancy/request-context.js";
import type { JobService } from "./job.service.js";
import { JobConnection, JobType } from "./job.type.js";

/** Resolves a subgraph's jobs under their former names, which go with the first release. */
export function jobResolver(subgraph: SubgraphName, jobs: JobService): object {
  const redriveField = `redrive${subgraph.charAt(0).toUpperCase()}${subgraph.slice(1)}Job`;

  @Resolver()
  class JobResolver {
    @Query(() => JobConnection, {
      name: `${subgraph}Jobs`,
      description: "As `jobs`, for one part of the platform.",
      deprecationReason: "Use `jobs`.",
    })
    @Auth({ scopes: ["jobs.read"] })
    jobs(
      @Args(() => PageArguments) page: PageArguments,
      @Ctx() context: RequestContext,
    ): Promise<JobConnection> {
      return jobs.list(context, page);
    }

    @Mutation(() => JobType, {
      name: redriveField,
      description: "As `redriveJob`, for one part of the platform.",
      deprecationReason: "Use `redriveJob`.",
    })
    @Auth({ scopes: ["jobs.manage"] })
    redrive(@Arg("jobId", () => ID) jobId: string, @Ctx() context: RequestContext): Promise<JobType> {
      return jobs.redrive(context, redriveField, jobId);
    }
  }
  return new JobResolver();
}
