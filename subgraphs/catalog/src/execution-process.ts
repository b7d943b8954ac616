import "reflect-metadata";
import { Listener } from "@factory/runtime/connections/listener";
import { workForParent } from "@factory/runtime/jobs/child-processes/child-work";
import { logForeignOutput } from "@factory/runtime/telemetry/foreign-output";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import type { ExecutionChildSettings, SecretRequest, SourceControlRequest } from "./execution-child.js";
import { Execution } from "./executions/record/execution.entity.js";
import { ExecutionChange } from "./executions/record/execution-change.entity.js";
import type { ExecutionPayload } from "./executions/record/execution-job.js";
import { ScaffoldFile } from "./executions/record/scaffold-file.entity.js";
import { startRunServices } from "./executions/run/run-services.js";
import { sourcePolicy, targetPolicy } from "./git/allowed-remotes.js";
import { ParameterChecker } from "./parameters/parameter-checker.js";
import { RemoteCredentials } from "./remote-credentials/remote-credentials.js";
import type { ResolvedSecret, SecretResolver } from "./remote-credentials/secret-resolver.js";
import { TemplateSources } from "./remote-credentials/template-sources.js";
import { TemplateRenderer } from "./rendering/template-renderer.js";
import { openRepositoryStore } from "./repositories/open-repository-store.js";
import {
  noSourceControl,
  type OpenedPullRequest,
  type PushAuthorization,
  type SourceControl,
} from "./source-control/source-control.js";
import { SourceReader } from "./sources/source-reader.js";
import { TargetResolver } from "./targets/target-resolver.js";
import { templateWorkerUrl } from "./template-worker/template-worker-url.js";
import { Template } from "./templates/template.entity.js";
import { TemplateService } from "./templates/template.service.js";
import { TemplateVersion } from "./templates/template-version.entity.js";
import { TemplateVersionService } from "./templates/template-version.service.js";
import { WorkerPool } from "./worker-pool/worker-pool.js";

/** The tables that a run uses. The parent process has run the migrations. */
const tables = { entities: [Template, TemplateVersion, Execution, ExecutionChange, ScaffoldFile], migrations: [] };

/**
 * Entry of a child process that runs one execution, without bus, jobs and listening sockets. It builds the few services
 * that a run needs and does not load the modules, whose resolvers would make its start slower.
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
    openPullRequest: async (use, wanted) =>
      (await ask({ sourceControl: use, wanted } satisfies SourceControlRequest)) as OpenedPullRequest | undefined,
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
