import { type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const INCLUDE_FLAG = "include";

/** Content of a file of the template, undefined when there is none of that path. */
export type ReadTemplateFile = (path: string) => Uint8Array | undefined;

/** Puts another file of the template in place of a mark that names it. */
export class IncludeFile implements Operation {
  readonly tokens: readonly Token[];
  private readonly end: Buffer;

  constructor(
    marks: { start: string; end: string },
    private readonly read: ReadTemplateFile,
    readonly id: string | null,
    readonly startsOn: boolean,
  ) {
    this.tokens = [token(marks.start)];
    this.end = Buffer.from(marks.end, "utf8");
  }

  begin(): void {}

  handle(run: TextRun): void {
    const source = Buffer.from(run.source.buffer, run.source.byteOffset, run.source.length);
    const at = run.flag(INCLUDE_FLAG) === false || this.end.length === 0 ? -1 : source.indexOf(this.end, run.position);
    const content = at === -1 ? undefined : this.read(source.toString("utf8", run.position, at).trim());
    if (content === undefined) {
      const [mark] = this.tokens;
      if (mark !== undefined) run.output.write(mark.core);
      return;
    }
    run.output.write(content);
    run.position = at + this.end.length;
  }
}
