import { foreignEntity } from "@factory/runtime/graphql/foreign-entity";
import { type JobHandler, maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { CompatibilityService } from "../../compatibility/compatibility/compatibility.service.js";
import { noSourceControl, type SourceControl } from "../../git/source-control/source-control.js";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { TargetResolver } from "../../targets/targets/target-resolver.js";
import { ParameterChecker } from "../../templates/parameters/parameter-checker.js";
import { TemplateService } from "../../templates/templates/template.service.js";
import { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { TemplateRenderer } from "../../workers/rendering/template-renderer.js";
import { ExecutionResolver } from "./execution.resolver.js";
import { ExecutionService } from "./execution.service.js";
import { ExecutionListResolver } from "./execution-list.resolver.js";
import { ExecutionListService } from "./execution-list.service.js";
import { executionStatusResolver } from "./execution-status.resolver.js";
import { ExecutionPreviewService } from "./preview/execution-preview.service.js";
import { Execution } from "./record/execution.entity.js";
import { ExecutionChange } from "./record/execution-change.entity.js";
import { type ExecutionPayload, executionJob, waitingExecutions } from "./record/execution-job.js";
import { ScaffoldFile } from "./record/scaffold-file.entity.js";
import { ExecutionAcceptance } from "./request/execution-acceptance.js";
import { abandonedReservations, ExecutionQuota, returnExecutionQuotaJob } from "./request/execution-quota.js";
import { ExecutionReservation } from "./request/execution-reservation.entity.js";
import type { UsageMeter } from "./request/usage-meter.js";
import { ExecutionFailure } from "./run/execution-failure.js";
import { startRunServices } from "./run/run-services.js";
import { ScaffoldFileResolver } from "./scaffold-file.resolver.js";
import { ScaffoldFileService } from "./scaffold-file.service.js";
import { PullRequestReports } from "./watch/pull-request-reports.js";

export interface ExecutionSettings {
  /** Runs an execution in a child process. */
  readonly runInChild: JobHandler<ExecutionPayload>;
  /** Opens pull requests. Without it, targets that are connections are refused. */
  readonly sourceControl?: SourceControl;
  /** Counts tenants' executions for their plans. */
  readonly usage: UsageMeter;
}

/** Template executions: request, preview, run and watch. */
export const executions: SliceModule<ExecutionSettings> = {
  slice: "executions",
  entities: [Execution, ExecutionChange, ExecutionReservation, ScaffoldFile],
  foreignKeys: {
    "executions.template_version_id": {
      to: "template_versions.template_version_id",
      onDelete: "no action",
      why: "An execution renders the version, a retry renders it again, and the version is shown with the execution.",
    },
    "executions.template_id": { to: null, why: "A copy from the version, which has a foreign key." },
    "executions.connection_id": { to: null, why: "A row of the integration subgraph." },
    "executions.provider_id": { to: null, why: "A row of the integration subgraph." },
    "executions.retry_of": { to: null, why: "History: a retry has everything that it needs." },
    "executions.scaffold_output_id": { to: null, why: "This column is the id of the output itself." },
    "execution_reservations.execution_id": { to: null, why: "The execution does not exist yet." },
    "execution_changes.execution_id": {
      to: "executions.execution_id",
      onDelete: "cascade",
      why: "The steps belong to the execution.",
    },
    "scaffold_files.scaffold_output_id": {
      to: "executions.scaffold_output_id",
      onDelete: "cascade",
      why: "The files belong to the output of the execution.",
    },
  },
  jobs: [executionJob, returnExecutionQuotaJob],
  events: [
    ...(["ScaffoldGenerated", "TemplateExecuted", "TemplateExecutionFailed", "TemplateExecutionCancelled"] as const),
    ...(["ScaffoldPullRequestOpened", "ScaffoldPullRequestMerged"] as const),
    ...(["ScaffoldPullRequestClosed", "ScaffoldPullRequestReopened"] as const),
  ],
  waitingRows: [waitingExecutions, abandonedReservations],
  async start({ settings, database, jobs, listener, cursors, logger, work, consume }, services) {
    const targets = services.get(TargetResolver);
    const { sourceControl = noSourceControl } = settings;
    const versions = services.get(TemplateVersionService);
    const parameterChecker = services.get(ParameterChecker);
    const { watch, scaffolding, earlierRenders, runner } = await startRunServices({
      database,
      listener,
      logger,
      targets,
      sourceControl,
      versions,
      parameterChecker,
      templates: services.get(TemplateService),
      sources: services.get(TemplateSources),
      renderer: services.get(TemplateRenderer),
    });
    const compatibility = services.get(CompatibilityService);
    const facts = services.get(TenantFacts);
    const acceptance = new ExecutionAcceptance({ jobs, versions, compatibility, targets, parameterChecker, facts });
    const feeds = { reader: database.reader, watch, logger };
    const quota = new ExecutionQuota({ database, usage: settings.usage, logger });
    services.add(new ExecutionService({ database, acceptance, quota, feeds }));
    work(returnExecutionQuotaJob, (payload) => quota.giveBackAbandoned(payload), maintenance);
    consume(new PullRequestReports(database).consumer());
    services.add(new ExecutionPreviewService({ acceptance, scaffolding, targets, earlierRenders }));
    services.add(new ExecutionListService(database, cursors));
    services.add(new ScaffoldFileService(database, cursors));
    const here: JobHandler<ExecutionPayload> = (payload, attempt) => runner.run(payload, attempt);
    work(executionJob, { here, inChild: settings.runInChild }, new ExecutionFailure(database));
  },
  resolvers: (get) => [
    new ExecutionResolver(get(ExecutionService), get(ExecutionPreviewService)),
    new ExecutionListResolver(get(ExecutionListService)),
    executionStatusResolver(get(ExecutionService)),
    new ScaffoldFileResolver(get(ScaffoldFileService)),
  ],
  types: [foreignEntity("Connection", "connectionId")],
  links: {
    "Execution.templateId": { to: "Template" },
    "Execution.templateVersionId": { to: "TemplateVersion" },
    "Execution.retryOf": { to: "Execution", as: "retriedExecution" },
    "Execution.scaffoldOutputId": { to: null, why: "The field `output` holds it." },
    "ExecutionTarget.connectionId": { to: "Connection" },
  },
  references(get) {
    const service = get(ExecutionService);
    return {
      Execution: {
        id: { prefix: "exe", field: "executionId" },
        auth: { scopes: ["templates.read", "templates.execute"] },
        resolve: ({ executionId = "" }, context) => service.find(tenantOf(context), executionId),
      },
    };
  },
};
