import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ContentName, ContentStore } from "./content-store.js";

const betweenMs = 60 * 60_000;
const namesPerRead = 500;

/** The runs whose content is written now, or may be read. A content belongs to the run with its fencing number. */
const keptRuns = tenantStatement(
  "report_contents_kept",
  `select run_id, fence from report_runs
   where tenant_id = scope.tenant and run_id = any($2::uuid[]) and status in ('Running', 'Completed')`,
);

interface KeptRow {
  run_id: string;
  fence: number;
}

/**
 * Removes contents that belong to no run any more: the rest from a killed process, and contents for runs that have
 * ended without one. A run is claimed before its content begins, so a living attempt's content is always known.
 */
export class ContentSweep {
  readonly #database: Database;
  readonly #contents: ContentStore;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(database: Database, contents: ContentStore, logger: Logger) {
    this.#database = database;
    this.#contents = contents;
    this.#logger = logger;
  }

  start(): void {
    this.#running = this.run()
      .then(
        (removedCount) => this.#logger.debug({ removed: removedCount }, "report contents without a run removed"),
        (error: unknown) => this.#logger.warn({ err: error }, "report contents without a run were not removed"),
      )
      .then(() => {
        if (!this.#stopped) this.#timer = setTimeout(() => this.start(), betweenMs).unref();
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Removes contents that belong to no run, and returns how many were removed. */
  async run(): Promise<number> {
    let removedCount = 0;
    for await (const names of this.#contents.all())
      for (let from = 0; from < names.length && !this.#stopped; from += namesPerRead)
        removedCount += await this.#removeLost(names.slice(from, from + namesPerRead));
    return removedCount;
  }

  async #removeLost(names: readonly ContentName[]): Promise<number> {
    const [first] = names;
    if (!first) return 0;
    const tenant = tenantWithId(encodeId("ten", first.tenant));
    const runs = names.map(({ run }) => run);
    const rows = await this.#database.reader.rows<KeptRow>(keptRuns, tenant, runs);
    const keptNames = new Set(rows.map(({ run_id, fence }) => `${run_id} ${fence}`));
    const lostNames = names.filter(({ run, fence }) => !keptNames.has(`${run} ${fence}`));
    for (const name of lostNames) await this.#contents.remove(name);
    return lostNames.length;
  }
}
