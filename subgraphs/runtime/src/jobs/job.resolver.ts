import type { SubgraphName } from "@factory/schema/subgraph-names";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { Auth } from "../graphql/auth.js";
import type { RequestContext } from "../tenancy/request-context.js";
import type { JobService } from "./job.service.js";
import { JobConnection, JobType } from "./job.type.js";

/**
 * Resolves a subgraph's jobs. A root field has one owner in the federated graph, so the fields have the subgraph's
 * name.
 */
export function jobResolver(subgraph: SubgraphName, jobs: JobService): object {
  const redriveField = `redrive${subgraph.charAt(0).toUpperCase()}${subgraph.slice(1)}Job`;

  @Resolver()
  class JobResolver {
    @Query(() => JobConnection, {
      name: `${subgraph}Jobs`,
      description: "The background jobs of the tenant that run, wait for their next attempt or have failed.",
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
      description:
        "Sends a failed job again, once. Where retriedBy of the job names an operation, call that operation instead.",
    })
    @Auth({ scopes: ["jobs.manage"] })
    redrive(@Arg("jobId", () => ID) jobId: string, @Ctx() context: RequestContext): Promise<JobType> {
      return jobs.redrive(context, redriveField, jobId);
    }
  }
  return new JobResolver();
}
