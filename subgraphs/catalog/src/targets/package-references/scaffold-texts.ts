import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { outline } from "@factory/template-engine/xml-outline";
import { injectionFailed, readText, type TextFile } from "./text-file.js";

type LoadedText = TextFile & { edited?: string };

/** The limit of characters over all reads. Each read is parsed again, which blocks the process: about two seconds. */
const maxReadCharacters = 50_000_000;

/** The MSBuild files of a scaffold, over those of the target branch, as texts that can be edited. */
export class ScaffoldTexts {
  readonly #files: FileTree;
  readonly #branchFile: (path: string) => Uint8Array | undefined;
  readonly #texts = new Map<string, LoadedText>();
  #charactersLeft = maxReadCharacters;

  constructor(files: FileTree, branchFile: (path: string) => Uint8Array | undefined) {
    this.#files = files;
    this.#branchFile = branchFile;
  }

  /** The text with all edits so far; undefined where neither the scaffold nor the branch has the file. */
  read(path: string): string | undefined {
    const known = this.#texts.get(path) ?? this.#load(path);
    const text = known?.edited ?? known?.text;
    this.#charactersLeft -= text?.length ?? 0;
    if (this.#charactersLeft < 0)
      throw injectionFailed(path, "the projects are too large for so many libraries; use fewer libraries");
    return text;
  }

  edit(path: string, change: (text: string) => string): void {
    const text = this.read(path);
    const known = this.#texts.get(path);
    if (text === undefined || known === undefined) return;
    const edited = change(text);
    if (edited !== text) known.edited = edited;
  }

  create(path: string, text: string): void {
    this.#texts.set(path, { text: "", edited: text, toBytes: (edited) => Buffer.from(edited) });
  }

  /** The paths whose text changed. */
  edited(): string[] {
    return [...this.#texts].flatMap(([path, { edited }]) => (edited === undefined ? [] : [path]));
  }

  toTree(): Map<string, TreeFile> {
    const tree = new Map(this.#files);
    for (const [path, known] of this.#texts)
      if (known.edited !== undefined)
        tree.set(path, { bytes: known.toBytes(known.edited), executable: this.#files.get(path)?.executable ?? false });
    return tree;
  }

  #load(path: string): LoadedText | undefined {
    const bytes = this.#files.get(path)?.bytes ?? this.#branchFile(path);
    if (bytes === undefined) return undefined;
    const file = readText(path, bytes);
    try {
      outline(file.text);
    } catch (error) {
      throw injectionFailed(
        path,
        `it is not well-formed XML (${error instanceof Error ? error.message : String(error)})`,
      );
    }
    this.#texts.set(path, file);
    return file;
  }
}
