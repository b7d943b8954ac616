import { afterBlanks, afterLineEnd, lineEnd } from "./byte-sink.js";
import { type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const regionFlag = "region";

interface RegionSettings {
  start: string;
  end: string;
  /** True to keep the text between the marks and to remove only the marks. */
  include: boolean;
  wholeLine: boolean;
  trim: boolean;
  id: string | null;
  startsOn: boolean;
}

/** Removes two marks, with or without the text between them. */
export class Region implements Operation {
  readonly id: string | null;
  readonly startsOn: boolean;
  readonly tokens: readonly Token[];
  readonly #end: Buffer;
  #open = false;
  readonly #settings: RegionSettings;

  constructor(settings: RegionSettings) {
    this.#settings = settings;
    this.id = settings.id;
    this.startsOn = settings.startsOn;
    const marks = settings.start === settings.end ? [settings.start] : [settings.start, settings.end];
    this.tokens = marks.map(token);
    this.#end = Buffer.from(settings.end, "utf8");
  }

  begin(): void {
    this.#open = false;
  }

  handle(run: TextRun, index: number): void {
    const shownToken = this.tokens[index];
    if (run.flag(regionFlag) === false && shownToken !== undefined) {
      run.output.write(shownToken.core);
      return;
    }
    this.#tidy(run);
    const starts = this.tokens.length === 1 ? !this.#open : index === 0;
    if (!starts) {
      this.#open = false;
    } else if (this.#settings.include) {
      this.#open = true;
    } else {
      const at = Buffer.from(run.source.buffer, run.source.byteOffset, run.source.length).indexOf(
        this.#end,
        run.position,
      );
      run.position = at === -1 ? run.source.length : at + this.#end.length;
      this.#tidy(run);
    }
  }

  #tidy(run: TextRun): void {
    if (this.#settings.wholeLine) {
      run.output.trimBlanks();
      run.position = afterLineEnd(run.source, run.position);
    } else if (this.#settings.trim) {
      run.output.trimBlanks();
      const at = afterBlanks(run.source, run.position);
      run.position = lineEnd(run.source, at) === at ? afterLineEnd(run.source, at) : at;
    }
  }
}
