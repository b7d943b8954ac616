import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { catalogTables } from "../../tables.js";
import { openTarget } from "../../targets/targets/push-scaffold.js";
import type { PushedScaffold } from "../../targets/targets/scaffold.js";
import { DatabaseStore } from "./in-database/database-store.js";
import { FolderStore } from "./in-folder/folder-store.js";
import type { RepositoryLimits } from "./port/repository-limits.js";
import type { RepositoryPlace, RepositoryStore } from "./port/repository-store.js";

export const quietLogger = createLogger("test", "silent");
const roomy: RepositoryLimits = { repositoryBytes: 1024 ** 3, tenantBytes: 1024 ** 3 };

/** One platform's database, and temporary folders for its processes. */
export class RepositoryStores {
  private constructor(
    readonly root: string,
    readonly suite: SuiteDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<RepositoryStores> {
    const suite = await aSuiteDatabase("catalog");
    const connections = schemaConnections(suite.access, "catalog");
    const database = await Database.open({ connections, ...catalogTables }, quietLogger);
    return new RepositoryStores(await mkdtemp(join(tmpdir(), "catalog-test-")), suite, database);
  }

  /** A process whose repositories are in the folder that all processes share. */
  inFolder(limits: RepositoryLimits = roomy): FolderStore {
    const { database, root } = this;
    return new FolderStore({ database, folder: join(root, "repositories"), limits, logger: quietLogger });
  }

  /** A process with a new cache. */
  async inDatabase(limits: RepositoryLimits = roomy): Promise<DatabaseStore> {
    const { database, root } = this;
    return new DatabaseStore({
      database,
      cacheFolder: await mkdtemp(join(root, "cache-")),
      limits,
      logger: quietLogger,
    });
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.suite.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

export const aPlace = (members: Partial<RepositoryPlace> = {}): RepositoryPlace => ({
  ...{ tenantId: newId("ten"), owner: "acme", name: "orders" },
  ...members,
});

type PushedTexts = Readonly<Record<string, string | Buffer>>;

/** Pushes texts as an execution of its own. */
export async function pushTexts(
  store: RepositoryStore,
  place: RepositoryPlace,
  branch: string,
  content: PushedTexts,
): Promise<PushedScaffold> {
  const storedTarget = await store.open(place, branch);
  const target = await openTarget({ url: storedTarget.url, branch, stored: storedTarget }, storedTarget.policy);
  try {
    const files = new Map(
      Object.entries(content).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]),
    );
    const commit = {
      message: `Scaffold\n\nExecution-Id: ${newId("exe")}`,
      ...{ authorName: "B", authorEmail: "b@localhost", date: new Date(0) },
    };
    return await target.push({ files, commit, onConflict: "overwrite" });
  } finally {
    await target.close();
  }
}
