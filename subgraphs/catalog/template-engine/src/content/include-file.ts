import { asBuffer } from "../text/encodings.js";
import { type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const includeFlag = "include";

// a longer text is not a path; the limit also bounds the search for a missing end mark
const maxNameBytes = 4096;

/** A template file's content; undefined when the file does not exist. */
export type ReadTemplateFile = (path: string) => Uint8Array | undefined;

/** Replaces a mark that names another template file with that file's content. */
export class IncludeFile implements Operation {
  readonly tokens: readonly Token[];
  readonly #end: Buffer;
  readonly #read: ReadTemplateFile;

  constructor(
    marks: { start: string; end: string },
    readFile: ReadTemplateFile,
    readonly id: string | null,
    readonly startsOn: boolean,
  ) {
    this.#read = readFile;
    this.tokens = [token(marks.start)];
    this.#end = Buffer.from(marks.end, "utf8");
  }

  begin(): void {}

  handle(run: TextRun): void {
    const start = run.position;
    const window = asBuffer(run.source.subarray(start, start + maxNameBytes));
    const length = run.flag(includeFlag) === false || this.#end.length === 0 ? -1 : window.indexOf(this.#end);
    const content = length === -1 ? undefined : this.#read(window.toString("utf8", 0, length).trim());
    if (content === undefined) {
      const [mark] = this.tokens;
      if (mark !== undefined) run.output.write(mark.core);
      return;
    }
    run.output.write(content);
    run.position = start + length + this.#end.length;
  }
}
