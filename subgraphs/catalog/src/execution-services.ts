import { join } from "node:path";
import type { Listener } from "@factory/runtime/connections/listener";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { EarlierRenders } from "./executions/run/earlier-renders.js";
import { ExecutionRunner } from "./executions/run/execution.runner.js";
import { Scaffolding } from "./executions/run/scaffolding.js";
import { ExecutionWatch } from "./executions/watch/execution-watch.js";
import type { SourcePolicy } from "./git/remote-policy.js";
import { ParameterChecker } from "./parameters/parameter-checker.js";
import { RemoteCredentials } from "./remote-credentials/remote-credentials.js";
import type { SecretResolver } from "./remote-credentials/secret-resolver.js";
import { TemplateSources } from "./remote-credentials/template-sources.js";
import { TemplateRenderer } from "./rendering/template-renderer.js";
import { RepositoryStore } from "./repositories/repository-store.js";
import { SourceReader } from "./sources/source-reader.js";
import { TargetResolver } from "./targets/target-resolver.js";
import { templateWorkerUrl } from "./template-worker/template-worker-url.js";
import { TemplateService } from "./templates/template.service.js";
import { TemplateVersionService } from "./templates/template-version.service.js";
import { WorkerPool } from "./worker-pool/worker-pool.js";

export interface ExecutionSettings {
  readonly publicUrl: string;
  readonly dataDir: string;
  /** True allows remotes in local folders and on loopback. */
  readonly development: boolean;
  readonly allowHosts: readonly string[];
  readonly sourceRoots: readonly string[];
  /** The service index URLs of NuGet v3 feeds, in the order in which they are asked. */
  readonly nugetFeeds: readonly string[];
  readonly allowSsh: boolean;
  /** The reference of the tenant's credential for a host of template sources, by `host` or `host:port`. */
  readonly sourceCredentials: ReadonlyMap<string, string>;
  /** Without it, targets and sources that need a credential are refused. */
  readonly secrets?: SecretResolver;
}

interface ExecutionResources {
  readonly database: Database;
  readonly listener: Listener;
}

/**
 * Creates the services of an execution, from its source to its commit. The subgraph and the child process of a run call
 * it.
 */
export async function createExecutionServices(
  { database, listener }: ExecutionResources,
  settings: ExecutionSettings,
  logger: Logger,
) {
  const store = new RepositoryStore(join(settings.dataDir, "repositories"));
  const policy: SourcePolicy = {
    allowFile: settings.development || settings.sourceRoots.length > 0,
    fileRoots: settings.sourceRoots,
    blockedFileRoots: [store.root],
    allowLoopback: settings.development,
    allowHosts: settings.allowHosts,
    allowSsh: settings.allowSsh,
  };
  const workers = new WorkerPool({ entry: templateWorkerUrl, logger });
  const renderer = new TemplateRenderer(workers);
  const parameterChecker = new ParameterChecker(workers);
  const reader = new SourceReader({ policy, nugetFeeds: settings.nugetFeeds, logger });
  // Outside development, local folders may be sources but not targets.
  const targetPolicy = { ...policy, allowFile: settings.development };
  const credentials = new RemoteCredentials(settings.secrets);
  const sources = new TemplateSources(reader, credentials, settings.sourceCredentials);
  const targets = new TargetResolver({ store, policy: targetPolicy, publicUrl: settings.publicUrl, credentials });
  const templates = new TemplateService(database);
  const versions = new TemplateVersionService({ database, templates, sources, parameterChecker });
  const watch = new ExecutionWatch();
  await watch.start(listener);
  const scaffolding = new Scaffolding({ templates, versions, sources, renderer, parameterChecker });
  const earlierRenders = new EarlierRenders(database, scaffolding);
  const runner = new ExecutionRunner({ database, scaffolding, targets, earlierRenders, watch, logger });
  return {
    store,
    workers,
    parameterChecker,
    sources,
    targets,
    templates,
    versions,
    watch,
    scaffolding,
    earlierRenders,
    runner,
    async close() {
      await workers.close();
      await reader.close();
    },
  };
}
