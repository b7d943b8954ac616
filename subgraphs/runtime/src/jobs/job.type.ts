import { Directive, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { DateTime } from "../graphql/scalars.js";
import { connectionType } from "../pagination/connection-type.js";
import type { Connection } from "../pagination/page.js";

export const JobState = {
  Running: "Running",
  Retrying: "Retrying",
  Failed: "Failed",
  Redriven: "Redriven",
} as const;
registerEnumType(JobState, {
  name: "JobState",
  description: "Retrying waits for its next try. Failed has used up its tries; Redriven was sent again as a new job.",
});

@ObjectType("Job", {
  simpleResolvers: true,
  description: "Background work that runs, waits for another try or has failed. Its payload is never shown.",
})
@Directive("@shareable")
export class JobType {
  @Field(() => ID)
  jobId: string;

  @Field()
  queue: string;

  @Field(() => JobState)
  state: keyof typeof JobState;

  @Field(() => String, { nullable: true, description: "Id of what the job works for." })
  subjectId: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => Int)
  ageSeconds: number;

  @Field(() => Int, { description: "Tries so far. The death of a process is none." })
  attempts: number;

  @Field(() => String, { nullable: true, description: "Why the last try failed." })
  reason: string | null;

  @Field({ description: "A redrive sends it again." })
  redrivable: boolean;

  @Field(() => String, { nullable: true, description: "The operation that tries again what this job worked for." })
  retriedBy: string | null;
}

export const JobConnection = connectionType("Job", () => JobType, "Newest first.", { shareable: true });
export type JobConnection = Connection<JobType>;
