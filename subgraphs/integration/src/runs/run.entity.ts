import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { RunOperation } from "@factory/schema/vocabularies/runs";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { openReplays, type RunState, routineRuns, runWaits } from "./run.states.js";

/** A run's step after Queued, as the column `steps` holds it. */
export interface StoredStep {
  status: RunState;
  /** As PostgreSQL writes a time into JSON. */
  at: string;
}

/** One piece of asynchronous work, with its attempts and its end. */
@Entity(sweptTenantTable("runs", runWaits, "completed_at is not null"))
@Index({ name: "runs_waiting", expression: `create index runs_waiting on runs (run_id) where ${runWaits}` })
@Index({
  name: "runs_connection",
  properties: ["tenantId", "connectionId", "runId"],
  where: "connection_id is not null",
})
@Index({
  name: "runs_credential",
  properties: ["tenantId", "credentialId", "runId"],
  where: "credential_id is not null",
})
@Index({ name: "runs_replays", properties: ["tenantId"], where: openReplays })
@Index({ name: "runs_routine", properties: ["completedAt"], where: routineRuns })
@Index({ name: "runs_completed_at", properties: ["completedAt"], where: "completed_at is not null" })
export class Run {
  [PrimaryKeyProp]?: ["tenantId", "runId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("run") })
  runId: string;

  @Property({ type: wireId("con"), nullable: true })
  connectionId: string | null;

  @Property({ type: wireId("crd"), nullable: true })
  credentialId: string | null;

  @Property({ type: wireId("whd"), nullable: true })
  deliveryId: string | null;

  @Property({ type: "text", nullable: true })
  projectId: string | null;

  @Property({ type: "text" })
  operation: RunOperation;

  @Property({ type: "text" })
  status: RunState;

  /** The number of attempts that have started. An attempt that a died process interrupted counts once. */
  @Property({ type: "integer", default: 0 })
  attempts: number;

  @Property({ type: "integer" })
  maxAttempts: number;

  /** The fencing number: it rises with every claim, and a worker with an older one cannot end the run. */
  @Property({ type: "integer", default: 0 })
  fence: number;

  /** Ids for the operation's handler, never secrets. */
  @Property({ type: "json", default: "{}" })
  payload: Record<string, unknown>;

  /** The handler's answer, without secrets. */
  @Property({ type: "json", nullable: true })
  result: Record<string, unknown> | null;

  /** How far a long run has come, without secrets. */
  @Property({ type: "json", nullable: true })
  progress: Record<string, unknown> | null;

  /** The place from which a long run goes on after a pause, or after its process has died. */
  @Property({ type: "json", nullable: true })
  checkpoint: Record<string, unknown> | null;

  /** The states after Queued, oldest first. */
  @Property({ type: "json", default: "[]" })
  steps: StoredStep[];

  /** The last failed attempt's code. Null after a success. */
  @Property({ type: "text", nullable: true })
  errorCode: string | null;

  @Property({ type: "text", nullable: true })
  errorDetail: string | null;

  @Property({ type: "text" })
  correlationId: string;

  @Property({ type: "text" })
  traceparent: string;

  /** The principal that caused the run. Null for the platform itself. */
  @Property({ type: "text", nullable: true })
  requestedBy: string | null;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  createdAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  startedAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  nextAttemptAt: Date | null;

  /** The running attempt's time limit. */
  @Property({ type: "timestamptz", nullable: true })
  deadlineAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  completedAt: Date | null;
}
