import "reflect-metadata";
import { Listener } from "@factory/runtime/connections/listener";
import { workForParent } from "@factory/runtime/jobs/child-processes/child-work";
import { logForeignOutput } from "@factory/runtime/telemetry/foreign-output";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import type { ExecutionChildSettings, SecretRequest } from "./execution-child.js";

import { createExecutionServices } from "./execution-services.js";
import type { ExecutionPayload } from "./executions/record/execution-job.js";
import type { ResolvedSecret, SecretResolver } from "./remote-credentials/secret-resolver.js";

import { catalogTables } from "./tables.js";

/** Entry of a child process that runs one execution: without bus, jobs and listening sockets. */
workForParent<ExecutionChildSettings, ExecutionPayload>(async ({ settings, payload, attempt, ask }) => {
  const { connections, logLevel } = settings;
  const logger = createLogger("execution", logLevel);
  logForeignOutput(logger);
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));
  const secrets: SecretResolver = {
    resolve: async (_tenantId, credentialRef, purpose, subject, { trace } = {}) =>
      (await ask({ credentialRef, purpose, subject, trace } satisfies SecretRequest)) as ResolvedSecret,
  };
  const listener = new Listener(connections.worker, logger);
  const [database] = await Promise.all([Database.open({ connections, ...catalogTables }, logger), listener.start()]);
  const parts = await createExecutionServices({ database, listener }, { ...settings, secrets }, logger);
  try {
    await parts.runner.run(payload, attempt);
  } finally {
    await parts.close();
    await listener.close();
    await database.close();
  }
});
