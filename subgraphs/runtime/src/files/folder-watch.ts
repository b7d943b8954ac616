import type { FileOutage } from "../errors/file-failure.js";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";
import { PlatformFolder } from "./platform-folder.js";

const periodMs = 5000;
const countEveryMs = 60_000;
/** The name for what is missing when no folder can be blamed. */
const fileDescriptors = "file descriptors";

interface Outage {
  readonly since: number;
  countedAt: number;
}

/** Probes the platform's folders every 5 s, and logs which ones fail. */
export class FolderWatch {
  readonly #folders = new Map<string, PlatformFolder>();
  readonly #outages = new Map<string, Outage>();
  #watched: readonly PlatformFolder[] = [];
  #logger: Logger | undefined;

  /** The folder with this name and path, which all parts of the process share. */
  folder(name: string, path: string): PlatformFolder {
    const key = `${name} ${path}`;
    const sharedFolder = this.#folders.get(key) ?? new PlatformFolder(name, path);
    this.#folders.set(key, sharedFolder);
    return sharedFolder;
  }

  /** The folders that are probed. */
  get folders(): readonly PlatformFolder[] {
    return this.#watched;
  }

  /** The folders that take no files, by name; also `file descriptors` when none is left. */
  get failing(): string[] {
    return [...this.#outages.keys()].sort();
  }

  /** Whether the platform's disks may be why one piece of work failed. */
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
    const probes = await Promise.all(this.#watched.map(async (folder) => ({ folder, failure: await folder.probe() })));
    const failures = new Map<string, FileOutage>();
    for (const { folder, failure } of probes) {
      if (failure?.fileFailure === "NoDescriptors") failures.set(fileDescriptors, failure);
      if (folder.outage) failures.set(folder.name, folder.outage);
    }
    for (const [name, failure] of failures) this.#fails(name, failure);
    for (const name of [...this.#outages.keys()].filter((each) => !failures.has(each))) this.#recovers(name);
  }

  #fails(folder: string, cause: FileOutage): void {
    const now = performance.now();
    const knownOutage = this.#outages.get(folder);
    if (!knownOutage) {
      this.#outages.set(folder, { since: now, countedAt: now });
      this.#logger?.error({ folder, cause, reason: cause.message }, "the platform cannot write files");
    } else if (now - knownOutage.countedAt >= countEveryMs) {
      knownOutage.countedAt = now;
      this.#logger?.error({ folder, seconds: secondsSince(knownOutage) }, "the platform still cannot write files");
    }
  }

  #recovers(folder: string): void {
    const outage = this.#outages.get(folder);
    this.#outages.delete(folder);
    this.#logger?.warn({ folder, seconds: outage && secondsSince(outage) }, "the platform can write files again");
  }
}

const secondsSince = ({ since }: Outage) => Math.round((performance.now() - since) / 1000);

/** This process's folders. */
export const folderWatch = new FolderWatch();
