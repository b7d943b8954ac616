import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { StepFeed } from "@factory/runtime/step-feeds/step-feed";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { reportFormats } from "../../report-formats/report-formats.js";
import type { ContentStore } from "../contents/content-store.js";
import type { ReportDefinitionService, UsableDefinition } from "../definitions/report-definition.service.js";
import { checkedPeriod, periodBounds, type ReportPeriod } from "../definitions/report-period.js";
import { reportSources } from "../sources/report-sources.js";
import { readRun } from "./read-run.js";
import type { GenerateReportInput } from "./report-run.input.js";
import type { ReportRunChangeType } from "./report-run.type.js";
import { changesOfRun, type RunFeedServices } from "./run-feed.js";
import { generateReportJob } from "./run-job.js";
import { cancelRun, expireRun } from "./run-moves.js";
import { type FormatName, isFormat, type RunRecord, type RunRow, runRecord } from "./run-record.js";
import type { RunRoom } from "./run-room.js";
import { startRun } from "./start-run.js";
import { tooManyRows } from "./too-large.js";

/** The data for the command GenerateReport. */
export interface ReportCommand extends Pick<GenerateReportInput, "format" | "parameters"> {
  readonly reportCode: string;
}

interface RunServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly definitions: ReportDefinitionService;
  readonly contents: ContentStore;
  readonly room: RunRoom;
  readonly feeds: RunFeedServices;
}

const lockRun = {
  name: "report_run_lock",
  text: "select * from report_runs where tenant_id = $1 and run_id = $2 for update",
};

/** Starts, reads, cancels and follows report runs. */
export class ReportRunService {
  readonly #services: RunServices;

  constructor(services: RunServices) {
    this.#services = services;
  }

  /**
   * Starts a run for the report. Throws NOT_FOUND, PARAMETERS_INVALID, REPORT_TOO_LARGE, RATE_LIMITED for too many runs
   * that have not ended, and CONFLICT for too many stored bytes.
   */
  async generate(context: RequestContext, reportDefinitionId: string, input: GenerateReportInput): Promise<RunRecord> {
    requireSameTenant(context, input.tenantId);
    const tenant = tenantOf(context);
    const definition = await this.#services.definitions.find(tenant, reportDefinitionId);
    if (!definition) throw unknownDefinition();
    return this.#start(context, definition, { input, arguments: { reportDefinitionId, input } });
  }

  /** As `generate`, for the report with a code. Other subgraphs do not know the definitions' ids. */
  async generateByCode(context: RequestContext, { reportCode, ...input }: ReportCommand): Promise<RunRecord> {
    const definition = await this.#services.definitions.findByCode(tenantOf(context), reportCode);
    if (!definition) throw unknownDefinition();
    return this.#start(context, definition, { input, arguments: { reportCode, input } });
  }

  /** `arguments` are the caller's, for a repeated request. */
  async #start(
    context: RequestContext,
    definition: UsableDefinition,
    { input, arguments: callerArguments }: { readonly input: GenerateReportInput; readonly arguments: unknown },
  ): Promise<RunRecord> {
    const { database, jobs, room } = this.#services;
    const format = checkedFormat(input.format);
    const parameters = checkedPeriod(input.parameters);
    return idempotentMutation(database, context, {
      field: "generateReport",
      arguments: callerArguments,
      prepare: () => this.#requireFitting(tenantOf(context), definition, { format, parameters }),
      commit: async (transaction) => {
        await room.requireRoom(transaction);
        const run = await startRun(transaction, { definition, format, parameters });
        const { tenantId } = transaction.tenant;
        await jobs.send(transaction, generateReportJob, { tenantId, reportRunId: run.reportRunId });
        return run;
      },
    });
  }

  find(tenant: Tenant, reportRunId: string): Promise<RunRecord | undefined> {
    return readRun(this.#services.database.reader, tenant, reportRunId);
  }

  async get(context: RequestContext, reportRunId: string): Promise<RunRecord> {
    const run = await this.find(tenantOf(context), reportRunId);
    if (!run) throw unknownRun();
    return run;
  }

  /** Ends a run as Cancelled. A worker that generates it stops, in whichever process, and stores nothing. */
  cancel(context: RequestContext, reportRunId: string): Promise<RunRecord> {
    const { subject } = principalOf(context);
    return idempotentMutation(this.#services.database, context, {
      field: "cancelReportRun",
      arguments: { reportRunId },
      commit: async (transaction) => {
        const currentRun = await lockedRun(transaction, reportRunId);
        if (currentRun.status === "Cancelled") return currentRun;
        const cancelledRun = await cancelRun(transaction, reportRunId, `Cancelled by ${subject}.`);
        if (!cancelledRun) throw wrongState(currentRun, "cancelled", ["Queued", "Running"]);
        return cancelledRun;
      },
    });
  }

  /** Removes a Completed run's content before its time. */
  expire(context: RequestContext, reportRunId: string): Promise<RunRecord> {
    const { database, contents } = this.#services;
    return idempotentMutation(database, context, {
      field: "expireReportRun",
      arguments: { reportRunId },
      commit: async (transaction) => {
        const currentRun = await lockedRun(transaction, reportRunId);
        const expiredRun = await expireRun(transaction, reportRunId, "infinity");
        if (!expiredRun && currentRun.status === "Expired") return currentRun;
        if (!expiredRun) throw wrongState(currentRun, "expired", ["Completed"]);
        const name = {
          tenant: transaction.tenant.uuid,
          run: decodeId("run", reportRunId) ?? "",
          fence: currentRun.fence,
        };
        // If this fails, the sweep removes the content.
        transaction.afterCommit(() => void contents.remove(name).catch(() => undefined));
        return expiredRun;
      },
    });
  }

  /** The run's present state and progress, if it is newer than `after`, and from then on each change. */
  async follow(
    context: RequestContext,
    reportRunId: string,
    after: number | null | undefined,
  ): Promise<StepFeed<ReportRunChangeType>> {
    const tenant = tenantOf(context);
    if (!(await this.find(tenant, reportRunId))) throw unknownRun();
    const { expiresAt } = principalOf(context);
    return new StepFeed(changesOfRun(this.#services.feeds, tenant, reportRunId), { after: after ?? 0, expiresAt });
  }

  /** Refuses a report that has more rows than its format can hold, before its run begins. */
  async #requireFitting(
    tenant: Tenant,
    { code }: UsableDefinition,
    { format, parameters }: { readonly format: FormatName; readonly parameters: ReportPeriod },
  ): Promise<void> {
    const { maxRows } = reportFormats[format];
    const { countUpTo } = reportSources[code];
    if (!Number.isFinite(maxRows) || !countUpTo) return;
    const { start, end } = periodBounds(parameters);
    const { reader } = this.#services.database;
    const [countRow] = await reader.rows<{ rows: number }>(countUpTo, tenant, start, end, maxRows + 1);
    if (countRow && countRow.rows > maxRows) throw tooManyRows(format, maxRows);
  }
}

function checkedFormat(format: string): FormatName {
  if (isFormat(format)) return format;
  throw invalidEnumValue([{ pointer: "/input/format", allowed: Object.keys(reportFormats) }]);
}

async function lockedRun({ execute, tenant }: Transaction, reportRunId: string): Promise<RunRecord> {
  const uuid = decodeId("run", reportRunId);
  const [row] = uuid === undefined ? [] : await execute<RunRow>(lockRun, [tenant.uuid, uuid]);
  if (!row) throw unknownRun();
  return runRecord(row);
}

/** The refusal when the tenant does not have the report definition. */
export const unknownDefinition = () =>
  new DomainError("NOT_FOUND", { detail: "The report definition does not exist in this tenant." });

/** The refusal when the tenant does not have the report run. */
export const unknownRun = () =>
  new DomainError("RUN_NOT_FOUND", {
    detail: "No report run with this id exists in this tenant. List the runs to find the id.",
  });

const wrongState = ({ status }: RunRecord, move: string, allowedStates: readonly string[]) =>
  new DomainError("INVALID_STATE", {
    detail: `The report run is ${status}, so it cannot be ${move}.`,
    currentState: status,
    allowed: allowedStates,
  });
