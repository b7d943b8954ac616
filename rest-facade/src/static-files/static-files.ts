import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import type { ContentCoding } from "../http/compression.js";
import { type PageList, pageFileSuffix, readPageList } from "./page-list.js";

const decompress = promisify(brotliDecompress);
const compress = promisify(gzip);

/** The path below which static files are served. */
export const assetsPath = "/assets";

/**
 * The files of the pages, whose names hold a hash of their content. A file is read with its first request, and each form
 * is made once: all forms of all files are at most 10 MB.
 */
export class StaticFiles {
  readonly #names: ReadonlySet<string>;
  readonly #entries: PageList["entries"];
  readonly #folder: string;
  readonly #forms = new Map<string, Promise<Buffer>>();

  private constructor(folder: string, { files, entries }: PageList) {
    this.#folder = folder;
    this.#names = new Set(files);
    this.#entries = entries;
  }

  /** Undefined where the pages are not built. */
  static async open(folder: string): Promise<StaticFiles | undefined> {
    const list = await readPageList(folder);
    return list && new StaticFiles(folder, list);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** An entry's addresses: the entry itself first, then the files that it imports. */
  addresses(entry: string): string[] {
    const files = this.#entries[entry];
    if (!files) throw new Error(`The build of the pages has no entry ${entry}`);
    return files.map((file) => `${assetsPath}/${file}`);
  }

  /** A listed file's bytes, in a content coding or as they are. */
  content(name: string, coding: ContentCoding | undefined): Promise<Buffer> {
    const key = `${name} ${coding ?? "identity"}`;
    const form = this.#forms.get(key) ?? this.#make(name, coding);
    this.#forms.set(key, form);
    // a file that could not be read is read again by the next request
    form.catch(() => this.#forms.delete(key));
    return form;
  }

  async #make(name: string, coding: ContentCoding | undefined): Promise<Buffer> {
    if (coding === "br") return readFile(join(this.#folder, name + pageFileSuffix));
    if (coding === "gzip") return compress(await this.content(name, undefined));
    return decompress(await this.content(name, "br"));
  }
}
