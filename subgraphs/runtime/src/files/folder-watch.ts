import type { FileOutage } from "../errors/file-failure.js";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";
import { PlatformFolder } from "./platform-folder.js";

const periodMs = 5000;
const countEveryMs = 60_000;
/** The name of what is missing when no folder can be blamed. */
const fileDescriptors = "file descriptors";

interface Outage {
  readonly since: number;
  countedAt: number;
}

/** Probes the folders of the platform every 5 s, and logs which of them fail. */
export class FolderWatch {
  readonly #folders = new Map<string, PlatformFolder>();
  readonly #outages = new Map<string, Outage>();
  #watched: readonly PlatformFolder[] = [];
  #logger: Logger | undefined;

  /** The folder with this name and path, which all parts of the process share. */
  folder(name: string, path: string): PlatformFolder {
    const key = `${name} ${path}`;
    const shared = this.#folders.get(key) ?? new PlatformFolder(name, path);
    this.#folders.set(key, shared);
    return shared;
  }

  /** The folders that are probed. */
  get folders(): readonly PlatformFolder[] {
    return this.#watched;
  }

  /** The names of the folders that take no files; `file descriptors` is one of them when none is left. */
  get failing(): string[] {
    return [...this.#outages.keys()].sort();
  }

  /** Whether the failure of one piece of work may be the fault of the platform's disks. */
  get isScarce(): boolean {
    return this.#outages.size > 0 || this.#watched.some(({ isScarce }) => isScarce);
  }

  /** Probes the folders once, and then every 5 s. Returns a function that ends this. */
  async start(folders: readonly PlatformFolder[], logger: Logger): Promise<() => Promise<void>> {
    this.#watched = folders;
    this.#logger = logger;
    const failure = "the folders of the platform were not probed";
    const loop = new PeriodicLoop({ name: "folders", periodMs, logger, failure });
    await this.turn();
    loop.start(() => this.turn());
    return async () => {
      await loop.stop();
      this.#watched = [];
      this.#outages.clear();
    };
  }

  /** Probes all folders, and logs what has changed. */
  async turn(): Promise<void> {
    const probed = await Promise.all(this.#watched.map(async (folder) => ({ folder, failure: await folder.probe() })));
    const failures = new Map<string, FileOutage>();
    for (const { folder, failure } of probed) {
      if (failure?.fileFailure === "NoDescriptors") failures.set(fileDescriptors, failure);
      if (folder.outage) failures.set(folder.name, folder.outage);
    }
    for (const [name, failure] of failures) this.#fails(name, failure);
    for (const name of [...this.#outages.keys()].filter((each) => !failures.has(each))) this.#recovers(name);
  }

  #fails(folder: string, cause: FileOutage): void {
    const now = performance.now();
    const known = this.#outages.get(folder);
    if (!known) {
      this.#outages.set(folder, { since: now, countedAt: now });
      this.#logger?.error({ folder, cause, reason: cause.message }, "the platform cannot write files");
    } else if (now - known.countedAt >= countEveryMs) {
      known.countedAt = now;
      this.#logger?.error({ folder, seconds: secondsSince(known) }, "the platform still cannot write files");
    }
  }

  #recovers(folder: string): void {
    const outage = this.#outages.get(folder);
    this.#outages.delete(folder);
    this.#logger?.warn({ folder, seconds: outage && secondsSince(outage) }, "the platform can write files again");
  }
}

const secondsSince = ({ since }: Outage) => Math.round((performance.now() - since) / 1000);

/** The folders of this process. */
export const folderWatch = new FolderWatch();
