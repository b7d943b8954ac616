import { accessToken, type ClientCredentials, readJson } from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import type pg from "pg";
import { rowsIn } from "./database.js";
import { platformVariable } from "./platform.js";

/**
 * The DATA_DIR that a killed platform leaves to the next process, and its database on this worker's server. The tables
 * are complete, so a start takes half the time that it takes over an empty folder. The suites for the embedded
 * PostgreSQL start over empty folders.
 */
export class PlatformHome {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly #database: SuiteDatabase;
  readonly #formerly = process.env[platformVariable];

  private constructor(dataDir: string, database: SuiteDatabase) {
    this.dataDir = dataDir;
    this.databaseUrl = database.url;
    this.#database = database;
  }

  static async open({ dataDir = "" } = {}): Promise<PlatformHome> {
    return new PlatformHome(dataDir || (await temporaryDataDirectory()), await aSuiteDatabase("platform"));
  }

  start(variables: Record<string, string> = {}, onLine?: (line: string) => void): Promise<PlatformProcess> {
    return startPlatformProcess(
      this.dataDir,
      { DATABASE_URL: this.databaseUrl, ...suiteVariables, ...variables },
      onLine,
    );
  }

  /** From now on the kit talks to this platform, until the home is closed. */
  use(platform: PlatformProcess): void {
    process.env[platformVariable] = JSON.stringify({ ...platform, databaseUrl: this.databaseUrl });
  }

  /** A token for the platform administrator. */
  async adminToken(platform: PlatformProcess): Promise<string> {
    return accessToken(platform, await readJson<ClientCredentials>(this.dataDir, "bootstrap.json"));
  }

  /** Runs a statement as the superuser, who sees all tenants' rows. */
  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return rowsIn<Row>(this.databaseUrl, text, values);
  }

  /** Call it after the last process has ended. */
  async close(): Promise<void> {
    process.env[platformVariable] = this.#formerly;
    await this.#database.close();
    await removeData(this.dataDir);
  }
}
