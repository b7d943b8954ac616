import { folderWatch } from "@factory/runtime/files/folder-watch";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { ProvisioningSteps } from "../../tenants/tenants/provisioning-step.js";
import { ContentSweep } from "./contents/content-sweep.js";
import { FileContents } from "./contents/file-contents.js";
import { ReportDefinition } from "./definitions/report-definition.entity.js";
import { ReportDefinitionResolver } from "./definitions/report-definition.resolver.js";
import { ReportDefinitionService } from "./definitions/report-definition.service.js";
import { seedReportDefinitions } from "./definitions/seed-report-definitions.js";
import { ReportRunner } from "./generation/report.runner.js";
import { expireContent } from "./generation/run-expiry.js";
import { RunFailure } from "./generation/run-failure.js";
import { ReportContents } from "./runs/report-contents.js";
import { ReportRun } from "./runs/report-run.entity.js";
import { ReportRunResolver } from "./runs/report-run.resolver.js";
import { ReportRunService } from "./runs/report-run.service.js";
import { reportRunIsOver } from "./runs/report-run.states.js";
import { readReportRuns } from "./runs/report-run.type.js";
import { runChangeResolver } from "./runs/run-change.resolver.js";
import {
  expiredReportRuns,
  expireReportJob,
  generateReportJob,
  runsAtOnce,
  waitingReportRuns,
} from "./runs/run-job.js";
import { RunListService } from "./runs/run-list.service.js";
import { runTable } from "./runs/run-record.js";
import { defaultLimits, type RunLimits, RunRoom } from "./runs/run-room.js";
import { ReportSnapshots } from "./snapshot/report-snapshots.js";

export interface ReportSettings {
  /** The folder for report contents. */
  readonly filesDir: string;
  readonly reportLimits?: Partial<RunLimits>;
}

/** Reports over the spine's rows, their runs and contents. */
export const reports: SliceModule<ReportSettings> = {
  slice: "reports",
  entities: [ReportDefinition, ReportRun],
  foreignKeys: {
    "report_runs.definition_id": { to: null, why: "Definitions are never deleted." },
  },
  jobs: [generateReportJob, expireReportJob],
  events: [
    ...(["ReportRunQueued", "ReportRunStarted", "ReportGenerated", "ReportRunFailed", "ReportRunCancelled"] as const),
    "ReportRunExpired",
  ],
  waitingRows: [waitingReportRuns, expiredReportRuns],
  async start({ settings, database, jobs, listener, connections, cursors, logger, work, ...host }, services) {
    services.get(ProvisioningSteps).add(seedReportDefinitions);
    const definitions = services.add(new ReportDefinitionService(database, cursors));
    const contents = new FileContents(folderWatch.folder("FILES_DIR", settings.filesDir));
    const watch = new StepWatch();
    await watch.start(listener, runTable.channel);
    const room = new RunRoom({ ...defaultLimits, ...settings.reportLimits });
    const feeds = { reader: database.reader, watch, logger };
    const runs = services.add(new ReportRunService({ database, jobs, definitions, contents, room, feeds }));
    services.add(new RunListService(database, cursors));
    services.add(new ReportContents(runs, contents, logger));
    const snapshots = new ReportSnapshots(connections.app, runsAtOnce, logger);
    host.onClose(() => snapshots.close());
    const runner = new ReportRunner({ database, jobs, room, watch, snapshots, contents, logger });
    work(generateReportJob, (payload, attempt) => runner.run(payload, attempt), new RunFailure(database));
    work(expireReportJob, (payload) => expireContent(database, contents, payload), maintenance);
    const sweep = services.add(new ContentSweep(database, contents, logger));
    host.onStarted(() => sweep.start());
    host.onStop(() => sweep.stop());
  },
  resolvers: (get) => [
    new ReportDefinitionResolver(get(ReportDefinitionService)),
    new ReportRunResolver(get(ReportRunService), get(RunListService)),
    runChangeResolver(get(ReportRunService)),
  ],
  links: {
    "ReportRun.reportDefinitionId": { to: "ReportDefinition" },
  },
  references(get) {
    const service = get(ReportRunService);
    const definitions = get(ReportDefinitionService);
    return {
      ReportDefinition: {
        id: { prefix: "rpd", field: "reportDefinitionId" },
        auth: { scopes: ["report.read"] },
        resolve: ({ reportDefinitionId = "" }, context) => definitions.view(tenantOf(context), reportDefinitionId),
      },
      ReportRun: {
        id: { prefix: "run", field: "reportRunId" },
        auth: readReportRuns,
        resolve: ({ reportRunId = "" }, context) => service.find(tenantOf(context), reportRunId),
      },
    };
  },
  retention: () => [
    {
      table: "report_runs",
      expired: `${reportRunIsOver} and completed_at < now() - interval '90 days'`,
      order: "completed_at",
    },
  ],
};
