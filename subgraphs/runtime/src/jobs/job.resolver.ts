import type { SubgraphName } from "@factory/schema/subgraph-names";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
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
      @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
      @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
      @Ctx() context: RequestContext,
    ): Promise<JobConnection> {
      return jobs.list(context, { first, after });
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
