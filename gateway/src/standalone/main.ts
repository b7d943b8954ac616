import "reflect-metadata";
import { EnvironmentError, exitConfiguration } from "@factory/runtime/environment/read-environment";
import { armFailpoint } from "@factory/runtime/faults/failpoint";
import { DataDirectoryInUseError } from "@factory/runtime/postgres/data-directory-lock";
import { DatabaseGivenUp } from "@factory/runtime/postgres/database-patience";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { platformEnvironment } from "./environment.js";
import { startPlatform } from "./platform.js";

/** EX_UNAVAILABLE and EX_TEMPFAIL of sysexits.h. */
const exitUnavailable = 69;
const exitInUse = 75;
const stopTimeoutMs = 20_000;

async function main(): Promise<void> {
  const environment = platformEnvironment();
  const logger = createLogger("platform", environment.logLevel);
  if (environment.failpoint !== undefined) armFailpoint(environment.failpoint);
  const platform = await startPlatform(environment, logger);
  process.stdout.write(
    [
      `The platform is ready.`,
      `  REST and docs  ${platform.publicUrl}/docs`,
      `  GraphQL        ${platform.publicUrl}/graphql`,
      `  internal       ${platform.internalUrl}`,
      ...(environment.development
        ? ["  development: file and loopback sources, targets and receivers are allowed"]
        : []),
      "",
    ].join("\n"),
  );
  const stop = (signal: string) => {
    logger.info({ signal }, "stopping");
    setTimeout(() => process.exit(0), stopTimeoutMs).unref();
    platform.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, "stop failed");
        process.exit(1);
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

main().catch((error: unknown) => {
  const code = exitCode(error);
  const bug = code === 1 && error instanceof Error;
  process.stderr.write(`${bug ? error.stack : error instanceof Error ? error.message : String(error)}\n`);
  process.exit(code);
});

function exitCode(error: unknown): number {
  if (error instanceof EnvironmentError) return exitConfiguration;
  if (error instanceof DatabaseGivenUp) return exitUnavailable;
  return error instanceof DataDirectoryInUseError ? exitInUse : 1;
}
