import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import { missingRight } from "@factory/runtime/provisioning/missing-right";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { Client } from "pg";
import type { PlatformEnvironment } from "../settings/environment.js";
import { connectionRoom, dataLevel, encoding, rights, roomForSecondProcess, serverVersion } from "./database-facts.js";
import { readFolders, writtenFolders } from "./folders.js";
import { gitProgram } from "./git-program.js";
import { checkGrpcPort } from "./grpc-port.js";
import { sharedFolders } from "./marked-folders.js";
import { persistedFile } from "./persisted-file.js";
import { storedValues } from "./sealing-keys.js";
import type { DatabaseCheck, MachineCheck } from "./start-check.js";

const machineChecks: readonly MachineCheck[] = [gitProgram, writtenFolders, readFolders, persistedFile];
const databaseChecks: readonly DatabaseCheck[] = [
  serverVersion,
  encoding,
  rights,
  dataLevel,
  connectionRoom,
  storedValues,
  sharedFolders,
];
const databaseWarnings: readonly DatabaseCheck[] = [roomForSecondProcess];

/** Throws EnvironmentError or PortInUseError if the platform cannot run on this machine. Writes nothing. */
export async function checkMachine(environment: PlatformEnvironment): Promise<void> {
  const problems = await Promise.all(machineChecks.map((check) => check(environment)));
  refuse(problems);
  await checkGrpcPort(environment);
}

/** Throws EnvironmentError if the platform cannot run on this database. Writes nothing. */
export async function checkDatabase(adminUrl: string, environment: PlatformEnvironment, logger: Logger): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const check of databaseChecks) refuse([await check(environment, admin)]);
    for (const check of databaseWarnings) {
      const warning = await check(environment, admin);
      if (warning !== undefined) logger.warn(warning);
    }
  } catch (error) {
    throw missingRight(error, adminUrl) ?? error;
  } finally {
    await admin.end();
  }
}

function refuse(problems: readonly (string | undefined)[]): void {
  const problem = problems.find((candidate) => candidate !== undefined);
  if (problem !== undefined) throw new EnvironmentError(problem);
}
