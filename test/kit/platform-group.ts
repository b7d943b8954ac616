import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";
import type { PostgresServer } from "@factory/runtime/postgres/embedded-postgres";
import { startReadyPostgres } from "@factory/runtime/postgres/ready-postgres.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import { templateDatabases } from "@factory/runtime/unit-of-work/template-databases.fixture";
import { platformVariable } from "./platform.js";

const quiet = createLogger("test", "silent");

/** One platform's processes over one database. The kit talks to the one that `use` has named last. */
export class PlatformGroup {
  readonly database: PostgresServer;
  /** The platform's database on this server, with complete tables. */
  readonly databaseUrl: string;
  /** All lines that the processes have printed. */
  readonly log: string[] = [];
  readonly folders: string[] = [];
  /** The database cluster's folder, with its log and its write-ahead log. */
  readonly databaseFolder: string;
  readonly #shared = process.env[platformVariable];
  readonly #processes: PlatformProcess[] = [];
  #publicUrl: string | undefined;

  private constructor(database: PostgresServer, databaseFolder: string) {
    this.database = database;
    this.databaseUrl = Object.assign(new URL(database.url), { pathname: "platform" }).href;
    this.databaseFolder = databaseFolder;
  }

  static async open(): Promise<PlatformGroup> {
    const dataDir = await mkdtemp(join(tmpdir(), "platform-group-"));
    return new PlatformGroup(
      await startReadyPostgres({ dataDir, logger: quiet, content: templateDatabases() }),
      dataDir,
    );
  }

  /** Starts one more process. All processes have the first one's address as PUBLIC_URL. */
  async start(variables: Record<string, string>): Promise<PlatformProcess> {
    const dataDir = await temporaryDataDirectory();
    this.folders.push(dataDir);
    const port = await choosePort(0, "127.0.0.1");
    const url = `http://127.0.0.1:${port}`;
    this.#publicUrl ??= url;
    const groupVariables = {
      ...suiteVariables,
      FILES_DIR: join(this.databaseFolder, "files"),
      ...{ DATABASE_URL: this.databaseUrl, PUBLIC_URL: this.#publicUrl, RATE_LIMIT_FACTOR: "1000" },
    };
    const platformProcess = await startPlatformProcess(
      dataDir,
      { ...groupVariables, PORT: String(port), ...variables },
      (line) => this.log.push(line),
    );
    const reachable = { ...platformProcess, publicUrl: url };
    this.#processes.push(reachable);
    return reachable;
  }

  use(platform: PlatformProcess): void {
    process.env[platformVariable] = JSON.stringify({ ...platform, databaseUrl: this.databaseUrl });
  }

  async close(): Promise<void> {
    process.env[platformVariable] = this.#shared;
    for (const platform of this.#processes) await platform.stop();
    await this.database.stop();
    for (const folder of this.folders) await removeData(folder);
    await removeData(this.databaseFolder);
  }
}
