import { createHash } from "node:crypto";
import { mkdir, open, opendir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { failpoint } from "@factory/runtime/faults/failpoint";
import {
  type ContentName,
  type ContentStore,
  ContentTooLarge,
  type OpenContent,
  StorageFull,
  type StoredContent,
} from "./content-store.js";

const unfinished = ".part";
const fileForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})(?:\.part)?$/;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Codes of system errors that mean a lack of room. */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * Contents as files `<folder>/<tenant>/<run>.<fence>`. A content is written to a temporary file, which is synchronized
 * and then renamed, so a file without the suffix `.part` is complete.
 */
export class FileContents implements ContentStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(name: ContentName, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent> {
    const place = this.#place(name);
    const part = `${place}${unfinished}`;
    try {
      const made = await mkdir(this.#folderOf(name.tenant), { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(dirname(made));
      const stored = await written(part, chunks, maxBytes);
      failpoint("reports.unrenamed");
      await rename(part, place);
      await syncFolder(this.#folderOf(name.tenant));
      return stored;
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw isFull(error) ? new StorageFull("The disk of FILES_DIR has no room left", { cause: String(error) }) : error;
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
    for (const file of [place, `${place}${unfinished}`]) await rm(file, { force: true });
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
      await file.appendFile(chunk);
    }
    await file.sync();
    return { sizeBytes, sha256: digest.digest("hex") };
  } finally {
    await file.close();
  }
}

/** A renamed file survives a loss of power when its folder is synchronized too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A lack of room on this disk must not count as one of the database, which passes. */
function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && fullCodes.has(code);
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  return undefined;
}
