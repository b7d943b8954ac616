import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { connectionPatience } from "@factory/runtime/clients/connection-patience";
import { EnvironmentError, exitConfiguration } from "@factory/runtime/environment/read-environment";
import { isDatabaseOutage } from "@factory/runtime/errors/database-failure";
import { armFailpoint } from "@factory/runtime/faults/failpoint";
import { DataDirectoryInUseError } from "@factory/runtime/postgres/data-directory-lock";
import { DatabaseGivenUp } from "@factory/runtime/postgres/database-patience";
import { logForeignOutput } from "@factory/runtime/telemetry/foreign-output";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { waits } from "@factory/runtime/telemetry/waits";
import type { Platform } from "./assembly/platform.js";
import { openPlatformDatabase } from "./assembly/platform-database.js";
import { StartingDoor } from "./assembly/starting-door.js";
import { readPreparedStart } from "./bundling/prepared-start.js";
import { forgetEnvironmentSecrets, type PlatformEnvironment, platformEnvironment } from "./settings/environment.js";
import { choosePort } from "./settings/free-port.js";
import { checkMachine } from "./start-checks/check-start.js";
import { listenProblem, PortInUseError } from "./start-checks/listen-problem.js";

/** EX_UNAVAILABLE and EX_TEMPFAIL from sysexits.h. */
const exitUnavailable = 69;
const exitInUse = 75;
const stopTimeoutMs = 20_000;
/** Running work cannot finish without the database, so the stop is short and the process can be restarted soon. */
const givenUpStopTimeoutMs = 5000;
/**
 * Loading the modules waits this long for PostgreSQL's launch, because the loading would block the launch's few steps.
 * A first start takes longer, since it creates the cluster while the modules are loaded.
 */
const launchPatienceMs = 100;
/**
 * The delay before the compile cache is written. By then it contains the modules that the first requests load, and
 * these requests do not wait for the disk.
 */
const compileCacheDelayMs = 5000;

/**
 * Runs the platform as one process, from its environment to its exit code. `preparedIn` is the folder with the bundle
 * in which this code runs.
 */
export async function runPlatform(preparedIn?: string): Promise<void> {
  await run(preparedIn).catch((error: unknown) => {
    const code = exitCode(error);
    const bug = code === 1 && error instanceof Error;
    const text = bug ? error.stack : error instanceof Error ? error.message : String(error);
    if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
    else createLogger("platform", "fatal").fatal(text);
    process.exit(code);
  });
}

async function run(preparedIn: string | undefined): Promise<void> {
  // a start that has not ended can end at any line, as after SIGKILL
  const endStart = () => process.exit(0);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endStart);
  const settings = platformEnvironment();
  forgetEnvironmentSecrets();
  // the issuer contains the port
  const environment = {
    ...settings,
    port: await choosePort(settings.port, settings.host).catch(asListenProblem(settings)),
  };
  const logger = createLogger("platform", environment.logLevel);
  logForeignOutput(logger);
  if (environment.failpoint !== undefined) armFailpoint(environment.failpoint);
  waits.logTo(logger);
  const { host, port, internalPort } = environment;
  const door = await StartingDoor.open({
    internal: { host: "127.0.0.1", port: internalPort },
    public: { host, port },
  }).catch(asListenProblem(environment));
  await checkMachine(environment);
  // PostgreSQL starts while the platform's modules are loaded. After a crash it also recovers during this time.
  let onLaunch = () => {};
  const launch = new Promise<void>((resolve) => (onLaunch = resolve));
  const database = openPlatformDatabase(environment, logger, onLaunch);
  database.catch(() => undefined);
  const preparedStart = preparedIn === undefined ? undefined : readPreparedStart(preparedIn);
  preparedStart?.catch(() => undefined);
  await Promise.race([launch, sleep(launchPatienceMs)]);
  const [{ startPlatform }, { watchUnexpectedErrors }, { default: prometheus }] = await Promise.all([
    import("./assembly/platform.js"),
    import("./monitoring/unexpected-errors.js"),
    import("prom-client"),
  ]);
  const registry = new prometheus.Registry();
  let platform: Platform | undefined;
  const stop = (code: number, timeoutMs = stopTimeoutMs) => {
    setTimeout(() => {
      logger.error({ timeoutMs }, "the platform did not stop in time; the process ends now");
      process.exit(code);
    }, timeoutMs).unref();
    // Before the start is complete, the process can exit at once: the watch process then stops PostgreSQL.
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
  const endStartPhase = connectionPatience.duringStart();
  platform = await startPlatform(
    environment,
    { logger, registry, prepared: await preparedStart, door },
    database,
  ).catch(asListenProblem(environment));
  endStartPhase();
  // before the greeting, since its reader may stop the platform at once
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.off(signal, endStart);
    process.once(signal, () => {
      logger.info({ signal }, "stopping");
      stop(0);
    });
  }
  process.stdout.write(`${greeting(platform, environment.development)}\n`);
  // The cache is written early, because a killed process cannot write the cache at its end.
  setTimeout(flushCompileCache, compileCacheDelayMs).unref();
  void platform.databaseGivenUp.then(() => {
    logger.fatal("the database is still not available; the process stops");
    stop(exitUnavailable, givenUpStopTimeoutMs);
  });
  void platform.shutOut.then((reason) => {
    logger.fatal(reason);
    stop(exitConfiguration);
  });
}

const asListenProblem = (environment: PlatformEnvironment) => (error: unknown) => {
  throw listenProblem(error, environment) ?? error;
};

/** Returns the text for a person at a terminal. Other readers get JSON only, as from the logger. */
function greeting({ publicUrl, internalUrl }: Platform, development: boolean): string {
  const msg = "The platform is ready.";
  const urls = { docs: `${publicUrl}/docs`, graphql: `${publicUrl}/graphql`, internal: internalUrl };
  if (!process.stdout.isTTY) return JSON.stringify({ msg, ...urls, development });
  return [
    msg,
    `  REST and docs  ${urls.docs}`,
    `  GraphQL        ${urls.graphql}`,
    `  internal       ${urls.internal}`,
    ...(development ? ["  development: file and loopback sources, targets and receivers are allowed"] : []),
  ].join("\n");
}

/** Limits `work` to one call: a second error while the process stops changes nothing. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function exitCode(error: unknown): number {
  if (error instanceof EnvironmentError) return exitConfiguration;
  if (error instanceof DatabaseGivenUp || isDatabaseOutage(error)) return exitUnavailable;
  return error instanceof DataDirectoryInUseError || error instanceof PortInUseError ? exitInUse : 1;
}
