import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, type Headers, type Pack, pack } from "tar-stream";
import type { BackupFolder } from "./backup-folder.js";
import type { Part } from "./manifest.js";

/** An archive entry. Its content has exactly `size` bytes; an absent one is empty. */
export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  readonly content?: Readable;
  /** Facts beside the content. */
  readonly facts?: Record<string, string>;
}

/** An entry's header. */
type EntryHeader = Headers & { readonly pax?: Record<string, string> | null };

interface Archive {
  readonly count: number;
  readonly part: Part;
}

/** Writes the entries as one tar file in the backup. An entry is read to its end before the next one is asked for. */
export async function writeArchive(
  folder: BackupFolder,
  file: string,
  entries: AsyncIterable<ArchiveEntry>,
): Promise<Archive> {
  const archive = pack();
  const writing = folder.write(file, archive);
  let count = 0;
  const failures: Error[] = [];
  const filling = (async () => {
    for await (const entry of entries) {
      await addEntry(archive, entry);
      count += 1;
    }
    archive.finalize();
  })().catch((error: Error) => {
    failures.push(error);
    archive.destroy(error);
  });
  try {
    return { part: await writing, count };
  } catch (error) {
    await filling;
    throw causeOf([...failures, error as Error]);
  }
}

/** A stream that another one has ended reports only that it was closed early. */
const causeOf = (failures: readonly Error[]) =>
  failures.find(({ message }) => message.toLowerCase() !== "premature close") ?? failures[0];

async function addEntry(archive: Pack, { name, size, content, facts }: ArchiveEntry): Promise<void> {
  const header = { name, size, mode: 0o600, ...(facts ? { pax: facts } : {}) };
  await new Promise<void>((resolve, reject) => {
    const target = archive.entry(header, (error) => (error ? reject(error) : resolve()));
    content?.once("error", reject);
    if (content) pipeline(content, target).catch(reject);
    else target.end();
  });
}

/** Calls `take` with each archive entry, one after the other. Returns their number. */
export async function readArchive(
  folder: BackupFolder,
  part: Part,
  take: (header: EntryHeader, content: Readable) => Promise<void>,
): Promise<number> {
  let count = 0;
  const archive = extract();
  archive.on("entry", (header, content, readNext) => {
    count += 1;
    take(header, content as unknown as Readable).then(
      () => {
        content.resume();
        readNext();
      },
      (error: unknown) => archive.destroy(error as Error),
    );
  });
  await folder.read(part, archive);
  return count;
}
