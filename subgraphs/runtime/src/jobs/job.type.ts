import { jobStates } from "@factory/schema/vocabularies/jobs";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";
import { enumType } from "../graphql/enum-type.js";
import { DateTime } from "../graphql/scalars.js";
import { connectionType } from "../pagination/connection-type.js";
import type { Connection } from "../pagination/page.js";

const JobState = enumType(jobStates);

@ObjectType("Job", {
  simpleResolvers: true,
  description: "A background job that runs, waits for its next attempt or has failed. Its payload is never shown.",
})
@Directive("@shareable")
export class JobType {
  @Field(() => ID)
  jobId: string;

  @Field()
  queue: string;

  @Field(() => JobState)
  state: keyof typeof JobState;

  @Field(() => String, {
    nullable: true,
    description: "ID of the resource that the job works on, for example an execution.",
  })
  subjectId: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => Int, { description: "Whole seconds since createdAt." })
  ageSeconds: number;

  @Field(() => Int, { description: "Number of attempts so far. A run that ended with its process does not count." })
  attempts: number;

  @Field(() => String, { nullable: true, description: "The reason why the last attempt failed." })
  reason: string | null;

  @Field({ description: "The job can be sent again with the redrive mutation." })
  redrivable: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      "The operation that repeats the work of this job after it has failed. Null: no single one, see `redrivable`. A text, since a release may add operations.",
  })
  retriedBy: string | null;
}

export const JobConnection = connectionType("Job", () => JobType, "Newest first.", { shareable: true });
export type JobConnection = Connection<JobType>;
