import "reflect-metadata";
import { Listener } from "@factory/runtime/connections/listener";
import { workForParent } from "@factory/runtime/jobs/child-processes/child-work";
import { logForeignOutput } from "@factory/runtime/telemetry/foreign-output";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import type { ExecutionChildSettings, SecretRequest, SourceControlRequest } from "./execution-child.js";
import { Execution } from "./executions/executions/record/execution.entity.js";
import { ExecutionChange } from "./executions/executions/record/execution-change.entity.js";
import type { ExecutionPayload } from "./executions/executions/record/execution-job.js";
import { ScaffoldFile } from "./executions/executions/record/scaffold-file.entity.js";
import { startRunServices } from "./executions/executions/run/run-services.js";
import { templateWorkerUrl } from "./executions/template-worker/template-worker-url.js";
import { sourcePolicy, targetPolicy } from "./git/git/allowed-remotes.js";
import { openRepositoryStore } from "./git/repositories/open-repository-store.js";
import {
  noSourceControl,
  type OpenedPullRequest,
  type PushAuthorization,
  type SourceControl,
} from "./git/source-control/source-control.js";
import { RemoteCredentials } from "./sources/remote-credentials/remote-credentials.js";
import type { ResolvedSecret, SecretResolver } from "./sources/remote-credentials/secret-resolver.js";
import { TemplateSources } from "./sources/remote-credentials/template-sources.js";
import { SourceReader } from "./sources/sources/source-reader.js";
import { TargetResolver } from "./targets/targets/target-resolver.js";
import { ParameterChecker } from "./templates/parameters/parameter-checker.js";
import { Template } from "./templates/templates/template.entity.js";
import { TemplateService } from "./templates/templates/template.service.js";
import { TemplateVersion } from "./templates/templates/template-version.entity.js";
import { TemplateVersionService } from "./templates/templates/template-version.service.js";
import { TemplateRenderer } from "./workers/rendering/template-renderer.js";
import { WorkerPool } from "./workers/worker-pool/worker-pool.js";

/** The tables that a run uses. The parent process has run the migrations. */
const tables = { entities: [Template, TemplateVersion, Execution, ExecutionChange, ScaffoldFile], migrations: [] };

/**
 * The entry for a child process that runs one execution, without bus, jobs and listening sockets. It builds the few
 * services that a run needs and does not load the modules, whose resolvers would make its start slower.
 */
workForParent<ExecutionChildSettings, ExecutionPayload>(async ({ settings, payload, attempt, ask }) => {
  const { connections, logLevel, publicUrl, nugetFeeds, sourceCredentials } = settings;
  const logger = createLogger("execution", logLevel);
  logForeignOutput(logger);
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));
  const secrets: SecretResolver = {
    resolve: async (_tenantId, credentialRef, purpose, subject, { trace } = {}) =>
      (await ask({ credentialRef, purpose, subject, trace } satisfies SecretRequest)) as ResolvedSecret,
  };
  const sourceControl: SourceControl = {
    ...noSourceControl,
    authorize: async (use) => (await ask({ sourceControl: use } satisfies SourceControlRequest)) as PushAuthorization,
    openPullRequest: async (use, wantedRequest) =>
      (await ask({ sourceControl: use, wanted: wantedRequest } satisfies SourceControlRequest)) as
        | OpenedPullRequest
        | undefined,
  };
  const listener = new Listener(connections.worker, logger);
  const [database] = await Promise.all([Database.open({ connections, ...tables }, logger), listener.start()]);
  const store = openRepositoryStore(settings.repositories, database, logger);
  const workers = new WorkerPool({ entry: templateWorkerUrl, logger });
  const reader = new SourceReader({ policy: sourcePolicy(settings, store.roots), nugetFeeds, logger });
  const credentials = new RemoteCredentials(secrets);
  const sources = new TemplateSources(reader, credentials, sourceCredentials);
  const parameterChecker = new ParameterChecker(workers);
  const templates = new TemplateService(database);
  const { runner } = await startRunServices({
    database,
    listener,
    logger,
    templates,
    sources,
    parameterChecker,
    versions: new TemplateVersionService(database, templates),
    renderer: new TemplateRenderer(workers),
    sourceControl,
    targets: new TargetResolver({
      ...{ store, policy: targetPolicy(settings, store.roots), publicUrl, credentials, sourceControl },
    }),
  });
  try {
    await runner.run(payload, attempt);
  } finally {
    await workers.close();
    await reader.close();
    await listener.close();
    await database.close();
  }
});
