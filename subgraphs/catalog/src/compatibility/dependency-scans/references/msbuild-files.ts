import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import { outline, type XmlElement } from "@factory/template-engine/xml-outline";

/** Parses a render's MSBuild files, each once. */
export class MsbuildFiles {
  /** The limits that were reached: those for all files together, and those for unreadable files. */
  readonly limits = new Set<ScanLimit>();
  readonly #files: FileTree;
  readonly #roots = new Map<string, XmlElement | undefined>();
  #charactersLeft: number;

  /** `maxCharacters` is the limit for all files together, since parsing takes time. */
  constructor(files: FileTree, maxCharacters: number) {
    this.#files = files;
    this.#charactersLeft = maxCharacters;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** A file's element; undefined for a file that is missing or cannot be read. */
  root(path: string): XmlElement | undefined {
    if (!this.#roots.has(path)) this.#roots.set(path, this.#parse(path));
    return this.#roots.get(path);
  }

  #parse(path: string): XmlElement | undefined {
    const bytes = this.#files.get(path)?.bytes;
    if (bytes === undefined) return undefined;
    this.#charactersLeft -= bytes.length;
    if (this.#charactersLeft < 0) {
      this.limits.add("Projects");
      return undefined;
    }
    try {
      return outline(decodeText(bytes));
    } catch {
      this.limits.add("Files");
      return undefined;
    }
  }
}
