import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { outline } from "@factory/template-engine/xml-outline";
import { injectionFailed, readText, type TextFile } from "./text-file.js";

type LoadedText = TextFile & { edited?: string };

/** The character limit over all reads. Each read is parsed again, which blocks the process: about two seconds. */
const maxReadCharacters = 50_000_000;

/** A scaffold's MSBuild files, over the target branch's own, as texts that can be edited. */
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
    const loadedText = this.#texts.get(path) ?? this.#load(path);
    const text = loadedText?.edited ?? loadedText?.text;
    this.#charactersLeft -= text?.length ?? 0;
    if (this.#charactersLeft < 0)
      throw injectionFailed(path, "the projects are too large for so many libraries; use fewer libraries");
    return text;
  }

  edit(path: string, change: (text: string) => string): void {
    const text = this.read(path);
    const loadedText = this.#texts.get(path);
    if (text === undefined || loadedText === undefined) return;
    const editedText = change(text);
    if (editedText !== text) loadedText.edited = editedText;
  }

  create(path: string, text: string): void {
    this.#texts.set(path, { text: "", edited: text, toBytes: (editedText) => Buffer.from(editedText) });
  }

  /** The paths whose text changed. */
  edited(): string[] {
    return [...this.#texts].flatMap(([path, { edited }]) => (edited === undefined ? [] : [path]));
  }

  toTree(): Map<string, TreeFile> {
    const tree = new Map(this.#files);
    for (const [path, loadedText] of this.#texts)
      if (loadedText.edited !== undefined)
        tree.set(path, {
          bytes: loadedText.toBytes(loadedText.edited),
          executable: this.#files.get(path)?.executable ?? false,
        });
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
