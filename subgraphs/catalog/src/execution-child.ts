import type { SchemaConnections } from "@factory/runtime/connections/schema-connections";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { inChildProcess } from "@factory/runtime/jobs/child-processes/job-child";
import type { JobHandler } from "@factory/runtime/jobs/definitions/job-definition";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { ExecutionPayload } from "./executions/executions/record/execution-job.js";
import type { RepositorySettings } from "./git/repositories/repositories.module.js";
import {
  noSourceControl,
  type RepositoryUse,
  type SourceControl,
  type WantedPullRequest,
} from "./git/source-control/source-control.js";
import type { RemoteCredentialSettings } from "./sources/remote-credentials/remote-credentials.module.js";
import type { SourceSettings } from "./sources/sources/sources.module.js";
import type { TargetSettings } from "./targets/targets/targets.module.js";

/** The settings that a run depends on. */
interface ExecutionSettings extends SourceSettings, TargetSettings, RemoteCredentialSettings {
  readonly repositories: RepositorySettings["repositories"];
}

/** The settings for an execution's child process. */
export interface ExecutionChildSettings extends Omit<ExecutionSettings, "secrets" | "sourceControl"> {
  readonly connections: SchemaConnections;
  readonly logLevel: string;
}

/** A request from the child process: a secret that belongs to the tenant whose execution it runs. */
export interface SecretRequest {
  readonly credentialRef: string;
  readonly purpose: string;
  readonly subject: string;
  readonly trace?: Trace | undefined;
}

/** A request from the child process to the source-control vendor of its tenant. */
export interface SourceControlRequest {
  readonly sourceControl: RepositoryUse;
  /** Absent: the login for a push is asked for. */
  readonly wanted?: WantedPullRequest;
}

/** The job handler that runs an execution in a child process with its own database connections. */
export function executionInChild(
  { connections, logger }: SubgraphHost,
  executionSettings: ExecutionSettings,
): JobHandler<ExecutionPayload> {
  const { publicUrl, repositories, development, allowHosts, sourceRoots, nugetFeeds, allowSsh, sourceCredentials } =
    executionSettings;
  const policies = { development, allowHosts, sourceRoots, nugetFeeds, allowSsh, sourceCredentials };
  const settings: ExecutionChildSettings = {
    publicUrl,
    repositories,
    ...policies,
    connections,
    logLevel: logger.level,
  };
  // Tests run the .ts files, but a process needs the compiled ones.
  const entryFile = import.meta.url.endsWith(".ts") ? "../dist/execution-process.js" : "./execution-process.js";
  return inChildProcess({
    entry: new URL(entryFile, import.meta.url),
    settings,
    logger,
    async answer(question, { tenantId }) {
      if (isSourceControlRequest(question))
        return reached(executionSettings.sourceControl ?? noSourceControl, question, tenantId);
      if (!executionSettings.secrets) throw new DomainError("SECRET_STORE_UNAVAILABLE");
      const { credentialRef, purpose, subject, trace } = question as SecretRequest;
      return executionSettings.secrets.resolve(tenantId, credentialRef, purpose, subject, trace && { trace });
    },
  });
}

const isSourceControlRequest = (question: unknown): question is SourceControlRequest =>
  typeof question === "object" && question !== null && "sourceControl" in question;

function reached(sourceControl: SourceControl, { sourceControl: use, wanted }: SourceControlRequest, tenantId: string) {
  const tenantUse = { ...use, tenantId };
  return wanted ? sourceControl.openPullRequest(tenantUse, wanted) : sourceControl.authorize(tenantUse);
}
