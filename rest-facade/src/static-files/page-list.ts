import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Each entry's files: the entry itself first, then those that it imports. */
export type PageEntries = Readonly<Record<string, readonly string[]>>;

/** The files that the build has made for the pages. */
export interface PageList {
  readonly files: readonly string[];
  readonly entries: PageEntries;
}

/** Files are stored compressed. */
export const pageFileSuffix = ".br";

const fileIn = (folder: string) => join(folder, "pages.json");

/** The list in the build's folder, or undefined where the pages are not built. */
export async function readPageList(folder: string): Promise<PageList | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(folder), "utf8")) as PageList;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function writePageList(folder: string, list: PageList): Promise<void> {
  return writeFile(fileIn(folder), JSON.stringify(list));
}
