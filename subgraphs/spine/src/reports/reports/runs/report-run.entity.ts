import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ReportPeriod } from "../definitions/report-period.js";
import {
  type ReportRunState,
  reportContentIsDue,
  reportContentIsStored,
  reportRunIsOver,
  reportRunWaits,
} from "./report-run.states.js";

/** A report's generation, and the facts about its content. */
@Entity(sweptTenantTable("report_runs", `${reportRunWaits} or ${reportContentIsDue}`, reportRunIsOver))
@Index({
  name: "report_runs_waiting",
  expression: `create index report_runs_waiting on report_runs (run_id) where ${reportRunWaits}`,
})
@Index({
  name: "report_runs_open",
  expression: `create index report_runs_open on report_runs (tenant_id) where ${reportRunWaits}`,
})
@Index({
  name: "report_runs_stored",
  expression: `create index report_runs_stored on report_runs (tenant_id) where ${reportContentIsStored}`,
})
@Index({
  name: "report_runs_expiry",
  expression: `create index report_runs_expiry on report_runs (expires_at) where ${reportContentIsStored}`,
})
@Index({
  name: "report_runs_over",
  expression: `create index report_runs_over on report_runs (completed_at) where ${reportRunIsOver}`,
})
export class ReportRun {
  [PrimaryKeyProp]?: ["tenantId", "runId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("run") })
  runId: string;

  @Property({ type: wireId("rpd") })
  definitionId: string;

  /** The report's code. */
  @Property({ type: "text" })
  code: string;

  @Property({ type: "text" })
  format: string;

  @Property({ type: "json" })
  parameters: ReportPeriod;

  /** Whether the period was over for an hour when the run was requested, so that the bus has brought its records. */
  @Property({ type: "boolean" })
  periodOver: boolean;

  @Property({ type: "text" })
  status: ReportRunState;

  /** The fencing number: it rises with every claim, and a worker with an older one cannot end the run. */
  @Property({ type: "integer", default: 0 })
  fence: number;

  /** Rises whenever state or progress changes. */
  @Property({ type: "integer", default: 1 })
  version: number;

  @Property({ type: "integer", default: 0 })
  rowsDone: number;

  @Property({ type: "integer", nullable: true })
  rowsTotal: number | null;

  @Property({ type: "bigint", nullable: true })
  sizeBytes: string | null;

  /** Lower-case hex. */
  @Property({ type: "text", nullable: true })
  sha256: string | null;

  @Property({ type: "text", nullable: true })
  errorCode: string | null;

  @Property({ type: "text", nullable: true })
  errorDetail: string | null;

  @Property({ type: "text" })
  correlationId: string;

  @Property({ type: "text" })
  traceparent: string;

  @Property({ type: "text" })
  requestedBy: string;

  @Property({ type: "timestamptz" })
  requestedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  startedAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  completedAt: Date | null;

  /** The time at which the content is deleted; null without a content. */
  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
