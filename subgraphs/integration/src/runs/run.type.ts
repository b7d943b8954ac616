import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { type RunOperation, runOperations, runStatuses } from "@factory/schema/vocabularies/runs";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { RunState } from "./run.states.js";

export const RunStatus = enumType(runStatuses);

/** The scopes for reading a run, through a root field or through another entity. */
export const readRuns = { scopes: ["integration.runs.read"] } as const satisfies AuthRule;

/** The description for the argument `waitSeconds` on operations that start or read a run. */
export const waitDescription =
  "Waits for the end of the run before the answer, at most 25 s. A tenant's request does not wait while 32 others of it wait.";

/** The reason for the last failed attempt. */
@ObjectType("RunError", { simpleResolvers: true })
export class RunErrorType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  detail: string;
}

/** The GraphQL type for a run. */
@ObjectType("Run", {
  implements: NodeType,
  simpleResolvers: true,
  description: "One piece of asynchronous work and its attempts.",
})
@NodeKey("runId")
export class RunType {
  @Field(() => ID)
  runId: string;

  @Field(() => ID, {
    nullable: true,
    description:
      "The connection that the run works with. Null for runs of credentials and webhook replays, and for a delivery without a connection.",
  })
  connectionId: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The credential whose version the run verifies or retires. Null for other operations.",
  })
  credentialId: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The delivery that the run handles. Null for other operations than ProcessDelivery.",
  })
  deliveryId: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The project that the connection or the webhook subscription had when the run was created. Null if it had none, and for runs of credentials.",
  })
  projectId: string | null;

  @Field(() => enumType(runOperations), { description: "The kind of the work." })
  operation: RunOperation;

  @Field(() => RunStatus)
  status: RunState;

  @Field(() => Int, { description: "The number of attempts that have started." })
  attempts: number;

  @Field(() => Int, {
    description:
      "The number of attempts after which the run fails. It grows when the run begins to wait for an outcome that the vendor reports later.",
  })
  maxAttempts: number;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the run was Running for the first time. Null before that.",
  })
  startedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the next attempt is planned." })
  nextAttemptAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the run ended, also by a failure or a cancellation. Null before that.",
  })
  completedAt: string | null;

  @Field(() => RunErrorType, { nullable: true, description: "Why the last attempt failed. Null after a success." })
  error: RunErrorType | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "The outcome of the run, without secrets. Its members depend on the operation.",
  })
  result: Readonly<Record<string, unknown>> | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "How far a long run has come, for example the number of webhooks that a replay has made due. Null in other runs.",
  })
  progress: Readonly<Record<string, unknown>> | null;

  @Field()
  correlationId: string;

  @Field()
  traceId: string;
}

@ObjectType("RunStatusChange", { simpleResolvers: true, description: "A state that a run has reached." })
export class RunStatusChangeType {
  @Field(() => ID)
  runId: string;

  @Field(() => Int, { description: "From 1, without gaps." })
  sequence: number;

  @Field(() => RunStatus)
  status: RunState;

  @Field(() => Int, { description: "The number of attempts that had started." })
  attempts: number;

  @Field(() => DateTime)
  changedAt: string;
}

export const RunConnection = connectionType("Run", () => RunType, "Newest first.");
/** A page of runs. */
export type RunConnection = Connection<RunType>;
