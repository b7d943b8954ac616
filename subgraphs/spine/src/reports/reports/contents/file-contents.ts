import { createHash } from "node:crypto";
import { mkdir, open, opendir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { PlatformFolder } from "@factory/runtime/files/platform-folder";
import {
  type ContentName,
  type ContentStore,
  ContentTooLarge,
  type OpenContent,
  type StoredContent,
} from "./content-store.js";

const unfinishedSuffix = ".part";
const fileForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})(?:\.part)?$/;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Contents as files `<folder>/<tenant>/<run>.<fence>`. A content is written to a temporary file, which is synchronized
 * and then renamed, so a file without the suffix `.part` is complete.
 */
export class FileContents implements ContentStore {
  readonly #files: PlatformFolder;
  readonly #folder: string;

  /** `files`: the folder for all files that the platform keeps. Contents are in its folder `reports`. */
  constructor(files: PlatformFolder) {
    this.#files = files;
    this.#folder = join(files.path, "reports");
  }

  usable(signal: AbortSignal): Promise<void> {
    return this.#files.usable(signal);
  }

  async write(name: ContentName, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent> {
    const place = this.#place(name);
    const part = `${place}${unfinishedSuffix}`;
    try {
      const newFolder = await mkdir(this.#folderOf(name.tenant), { recursive: true, mode: 0o700 });
      if (newFolder !== undefined) await syncFolder(dirname(newFolder));
      const content = await written(part, chunks, maxBytes);
      failpoint("reports.unrenamed");
      await rename(part, place);
      await syncFolder(this.#folderOf(name.tenant));
      return content;
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async open(name: ContentName): Promise<OpenContent | undefined> {
    const file = await open(this.#place(name), "r").catch(absent);
    if (!file) return undefined;
    const { size } = await file.stat();
    return {
      sizeBytes: size,
      read: (start, end) => file.createReadStream({ start, end }),
      close: () => file.close(),
    };
  }

  async remove(name: ContentName): Promise<void> {
    const place = this.#place(name);
    for (const file of [place, `${place}${unfinishedSuffix}`]) await rm(file, { force: true });
  }

  async *all(): AsyncGenerator<readonly ContentName[], void, undefined> {
    const folder = await opendir(this.#folder).catch(absent);
    if (!folder) return;
    for await (const entry of folder) {
      if (!entry.isDirectory() || !uuidForm.test(entry.name)) continue;
      const files = (await readdir(join(this.#folder, entry.name)).catch(absent)) ?? [];
      yield files.flatMap((file) => {
        const [, run, fence] = fileForm.exec(file) ?? [];
        return run === undefined ? [] : [{ tenant: entry.name, run, fence: Number(fence) }];
      });
    }
  }

  #folderOf(tenant: string): string {
    return join(this.#folder, tenant);
  }

  #place({ tenant, run, fence }: ContentName): string {
    if (!uuidForm.test(tenant) || !uuidForm.test(run)) throw new Error("A content has a name that is not a UUID");
    return join(this.#folderOf(tenant), `${run}.${fence}`);
  }
}

/** Writes all chunks and synchronizes the file. */
async function written(path: string, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent> {
  const file = await open(path, "w", 0o600);
  try {
    const digest = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new ContentTooLarge(maxBytes);
      digest.update(chunk);
      await file.appendFile(chunk).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "EFBIG" ? new ContentTooLarge(sizeBytes - 1, { cause: error }) : error;
      });
    }
    await file.sync();
    return { sizeBytes, sha256: digest.digest("hex") };
  } finally {
    await file.close();
  }
}

/** A renamed file survives a power failure when its folder is synchronized too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): undefined {
  if (systemErrorCode(error) !== "ENOENT") throw error;
  return undefined;
}
