import "reflect-metadata";
import { EnvironmentError, exitConfiguration } from "@factory/runtime/environment/read-environment";
import { armFailpoint } from "@factory/runtime/faults/failpoint";
import { DataDirectoryInUseError } from "@factory/runtime/postgres/data-directory-lock";
import { DatabaseGivenUp } from "@factory/runtime/postgres/database-patience";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Registry } from "prom-client";
import { platformEnvironment } from "./environment.js";
import { type Platform, startPlatform } from "./platform.js";
import { watchUnexpectedErrors } from "./unexpected-errors.js";

/** EX_UNAVAILABLE and EX_TEMPFAIL of sysexits.h. */
const exitUnavailable = 69;
const exitInUse = 75;
const stopTimeoutMs = 20_000;

async function main(): Promise<void> {
  const environment = platformEnvironment();
  const logger = createLogger("platform", environment.logLevel);
  if (environment.failpoint !== undefined) armFailpoint(environment.failpoint);
  const registry = new Registry();
  let platform: Platform | undefined;
  const stop = (code: number) => {
    setTimeout(() => {
      logger.error({ stopTimeoutMs }, "the stop took too long and was cut off");
      process.exit(code);
    }, stopTimeoutMs).unref();
    // before the start is complete, PostgreSQL is stopped by its watch
    if (!platform) process.exit(code);
    platform.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        logger.error({ err: error }, "stop failed");
        process.exit(1);
      },
    );
  };
  watchUnexpectedErrors(
    logger,
    registry,
    once(() => stop(1)),
  );
  platform = await startPlatform(environment, { logger, registry });
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
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      logger.info({ signal }, "stopping");
      stop(0);
    });
}

/** A second error while the process stops changes nothing. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
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
